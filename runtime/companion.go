package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"
)

// Companion joins a package that stands beside this one, such as runtime/provider, to the execution behind a
// [Context]. It is for those packages and for generated code; a handler has no use for it.
type Companion struct{ ex *execution }

// CompanionOf finds the running handler behind ctx; [ErrNotInHandler] if there is none.
func CompanionOf(ctx context.Context) (*Companion, error) {
	ex, err := executionOf(ctx)
	if err != nil {
		return nil, err
	}
	return &Companion{ex}, nil
}

// Schema is where the runtime's tables are.
func (c *Companion) Schema() string { return c.ex.w.cfg.Schema }

// Worker names the worker, for people.
func (c *Companion) Worker() string { return c.ex.w.name }

// Logger is the worker's, with the identity of the step.
func (c *Companion) Logger() *slog.Logger {
	return c.ex.w.log.With("run_id", c.ex.step.runID, "node", c.ex.step.node, "attempt", c.ex.step.attempt)
}

// ID derives an identifier from the step's run and node and from parts. It is the same at every execution.
func (c *Companion) ID(prefix string, parts ...string) string {
	return derivedID(prefix, append([]string{c.ex.step.runID, c.ex.step.node}, parts...)...)
}

// Alive refuses what must not begin after the attempt's end, with [ErrAttemptEnded].
func (c *Companion) Alive() error {
	if err := c.ex.alive(); err != nil {
		return c.ex.refuseLate(err)
	}
	return nil
}

// Quarantine makes a second payload under a key the end of the step, also when the handler ignores the error: it is
// discarded as [ReasonPayloadMismatch].
func (c *Companion) Quarantine(table string) error {
	err := &MismatchError{Table: table, RunID: c.ex.step.runID, Node: c.ex.step.node}
	c.ex.refuse(err)
	return err
}

// asideLimit bounds how long a statement outside the completion transaction is tried.
const asideLimit = 15 * time.Second

// Aside runs short statements outside the completion transaction: what they do stays, whatever becomes of the step. They
// have connections of their own, which handlers cannot use up. op is run again after a lost connection, so it must find
// out what it has done already. An error that is the database's costs the step no attempt. Aside ends with the attempt.
func (c *Companion) Aside(what string, op func(ctx context.Context, db DB) error) error {
	if err := c.Alive(); err != nil {
		return err
	}
	return c.aside(c.ex, what, op)
}

// AsideLasting is [Companion.Aside] for what has happened outside already, and is to be kept also when the attempt has
// ended meanwhile.
func (c *Companion) AsideLasting(what string, op func(ctx context.Context, db DB) error) error {
	return c.aside(c.ex.w.lasting, what, op)
}

func (c *Companion) aside(ctx context.Context, what string, op func(ctx context.Context, db DB) error) error {
	ctx, cancel := context.WithTimeout(ctx, asideLimit)
	defer cancel()
	err := c.ex.w.stubborn(ctx, what, func(ctx context.Context) error {
		c.ex.roundTrip()
		return op(ctx, c.ex.w.aside)
	})
	if err == nil {
		return nil
	}
	if fault := faultOf(err); fault == faultUnreachable || fault == faultConflict {
		return &interruptedError{err}
	}
	return err
}

// errTooLarge is what [EncodeJSON] says of a value over its limit.
var errTooLarge = errors.New("it is too large; store the data elsewhere and pass a reference")

// EncodeJSON gives the bytes that are stored for v, and refuses what would not come back as it went in. It is for
// companions.
func EncodeJSON(v any, limit int) ([]byte, error) {
	data, err := json.Marshal(v)
	switch {
	case err != nil:
		return nil, err
	case len(data) > limit:
		return nil, errTooLarge
	}
	return data, checkText(data)
}

// DerivedID hashes parts into an identifier, each with its length, so that no two different lists of parts give the same.
// It is for companions.
func DerivedID(prefix string, parts ...string) string { return derivedID(prefix, parts...) }

// KeyedRunID is the identifier of the run that is enqueued with [WithKey], whether it is there or not. It is for
// companions.
func KeyedRunID(tenant, node, key string) string { return keyedRunID(tenant, node, key) }
