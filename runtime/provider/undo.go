package provider

import (
	"context"
	"fmt"
	"strconv"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/value"
)

// Undo takes a call back, once, however often it is interrupted: the one that this step made, or another step ([Of]).
// The compensation is an intent with a key of its own, and what holds for a call holds for it. A call that was rejected
// needs none. One whose outcome is unknown is looked up first, and the step waits until it is known.
func (p *Provider[Req, Receipt]) Undo(ctx runtime.Context, opts ...CallOption) error {
	u, err := p.def.newUndo(ctx)
	if err != nil {
		return err
	}
	o := optionsOf(ctx, opts)
	original, err := u.load(sqlLatest, o.runID, o.node, p.def.name, o.item)
	if err != nil {
		return err
	}
	return u.compensate(ctx, original, o.nextGeneration)
}

// undoInput is the input of the step that [Operator.Compensate] enqueues.
type undoInput struct {
	Key string `json:"key"`
}

// undoAction is the definition of that step. Its name cannot be one of an author's handlers.
func undoAction(provider string) *runtime.Action[undoInput] {
	return runtime.NewAction[undoInput](provider + ".undo")
}

// RegisterUndo lets the workers of r take calls of p back when an operator asks for it ([Operator.Compensate]).
func RegisterUndo[Req, Receipt any](r *runtime.Registry, p *Provider[Req, Receipt]) {
	runtime.RegisterAction(r, undoAction(p.def.name), func(ctx runtime.Context, in undoInput) error {
		u, err := p.def.newUndo(ctx)
		if err != nil {
			return err
		}
		original, err := u.load(sqlLoad, in.Key)
		if err != nil {
			return err
		}
		return u.compensate(ctx, original, true) // after a rejection it runs only when a person retries it
	})
}

// undo takes one call back.
type undo struct {
	intents
	def *definition
}

func (d *definition) newUndo(ctx context.Context) (*undo, error) {
	ex, err := step.Of(ctx)
	switch {
	case err != nil:
		return nil, err
	case d.undo == nil:
		return nil, runtime.Permanent(fmt.Errorf("%w: %s", ErrNoUndo, d.name))
	}
	return &undo{intents{ex}, d}, nil
}

func (u *undo) compensate(ctx runtime.Context, original Intent, next bool) (err error) {
	if original.State.Open() {
		if original, err = u.find(ctx, original); err != nil {
			return err
		}
	}
	if !original.State.done() {
		return nil // rejected or compensated: there is nothing to take back
	}
	c, err := u.call(ctx, original, next)
	if err != nil {
		return err
	}
	_, err = c.run(ctx)
	return err
}

// call is the compensation, as a call whose request is the receipt.
func (u *undo) call(ctx runtime.Context, original Intent, next bool) (*call, error) {
	c, err := u.def.newCall(ctx, original.Receipt)
	if err != nil {
		return nil, err
	}
	in := &c.intent
	in.RunID, in.Node, in.Item, in.Compensates = ctx.RunID(), ctx.Node(), original.Item, original.Key
	in.Reason = "the compensation is about to be sent"
	if next {
		if err := c.follow(sqlLatestUndo, original.Key); err != nil {
			return nil, err
		}
	}
	in.Key = value.DerivedID("undo_", "idem undo", original.Key, strconv.Itoa(in.Generation))
	c.send = func(ctx context.Context, key string) (any, error) { return nil, u.def.undo(ctx, key, original.Receipt) }
	c.standIn(ctx)
	return c, nil
}

// find finds out about a call that is to be taken back, and does not send it.
func (u *undo) find(ctx context.Context, in Intent) (Intent, error) {
	c := &call{intents: u.intents, def: u.def, intent: in, lookup: u.def.lookup}
	c.standIn(ctx)
	switch {
	case in.Quarantined:
		return in, c.mismatch(in, "the provider knows the key with another payload")
	case in.DispatchedAt == nil:
		return u.reload(in, c.reject(in, "taken back before it was sent"))
	case u.def.lookup == nil:
		return in, c.wait(in, "it cannot be taken back before its outcome is known")
	case in.State == StatePrepared:
		var changed bool
		var err error
		if in, changed, err = c.doubt(in, c.Aside, "to be taken back, and not answered yet", false, 0); err != nil {
			return in, err
		} else if !changed {
			return in, c.wait(in, "another execution is at it")
		}
	}
	if _, found, err := c.look(ctx, in); err != nil || found {
		return u.reload(in, err)
	}
	if left := u.def.settle - in.quiet; left > 0 {
		return in, c.waitFor(in, left, "not found; it may still be under way")
	}
	return u.reload(in, c.reject(in, "proven absent before it was to be taken back"))
}

// reload returns the intent as it is now, if finding out has come to an end: a rejection is one.
func (u *undo) reload(in Intent, err error) (Intent, error) {
	if err != nil {
		if _, rejected := err.(*RejectedError); !rejected {
			return in, err
		}
	}
	return u.load(sqlLoad, in.Key)
}
