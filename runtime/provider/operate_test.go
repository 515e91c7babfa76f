package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// stuck returns a bench with a step that waits for an operator, its answer lost.
func stuck(t *testing.T, lost ledger.Behaviour, opts ...provider.CallOption) (*bench, runtime.Run) {
	t.Helper()
	b := newBench(t)
	b.ledger.Next(lost)
	b.notifies(neither, opts...)
	b.work()
	run := b.enqueue()
	b.waits(run)
	return b, run
}

func TestOperatorRejects(t *testing.T) {
	t.Parallel()
	b, run := stuck(t, ledger.Lose)
	res := must(b.operator.Reject(context.Background(), by(b.intent())))(t)
	if res.Intent.State != provider.StateRejected || res.Intent.Actor != "ann" {
		t.Errorf("rejected: %+v", res.Intent)
	}
	b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 1, 0)
	b.asked(1, 0)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateRejected)
}

// Where the author asks for it, an operator's rejection leads to a new try.
func TestOperatorRejectsAndTheStepTriesAnew(t *testing.T) {
	t.Parallel()
	b, run := stuck(t, ledger.Lose, provider.NextGeneration())
	must(b.operator.Reject(context.Background(), by(b.intent())))(t)
	b.completed(run, 0)
	b.asked(2, 1)
}

// A provider that says more than the definition did: the operator lets the step look again.
func TestOperatorReconciles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ledger.Next(ledger.Busy(24 * 3600 * 1e9))
	b.notifies(both)
	b.work()
	run := b.enqueue()
	b.eventually("the step waits", func() bool { return len(b.intents()) == 1 && b.intent().State == provider.StateUnknown })
	b.eventually("the step waits", func() bool {
		return must(b.client.Status(context.Background(), run.ID, "notify"))(t).Reason == runtime.ReasonWaiting
	})
	res := must(b.operator.Reconcile(context.Background(), by(b.intent())))(t)
	if !res.Woken || res.Step == nil {
		t.Errorf("%+v", res)
	}
	b.completed(run, 0)
	b.asked(2, 1)
}

func TestDecisionsThatAreRefused(t *testing.T) {
	t.Parallel()
	b, _ := stuck(t, ledger.Lose)
	ctx, in := context.Background(), b.intent()
	var state *provider.StateError
	stale := by(in)
	stale.Epoch--
	if _, err := b.operator.Confirm(ctx, stale, raw(1)); !errors.As(err, &state) || state.Epoch != in.Epoch {
		t.Errorf("of what was shown before: %v", err)
	}
	if _, err := b.operator.Reject(ctx, stale); !errors.As(err, &state) {
		t.Errorf("of what was shown before: %v", err)
	}
	for _, d := range []provider.Decision{{Key: in.Key, Epoch: in.Epoch, Actor: "ann"}, {Key: in.Key, Epoch: in.Epoch, Reason: "so"}} {
		if _, err := b.operator.Reject(ctx, d); err == nil {
			t.Errorf("%+v is carried out", d)
		}
	}
	if _, err := b.operator.Confirm(ctx, by(in), json.RawMessage(`{`)); err == nil {
		t.Error("a receipt that is no JSON")
	}
	if _, err := b.operator.Compensate(ctx, by(in)); !errors.As(err, &state) {
		t.Errorf("compensating what is unknown: %v", err)
	}
	if _, err := b.operator.Reject(ctx, provider.Decision{Key: "none", Actor: "ann", Reason: "so"}); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("of nothing: %v", err)
	}
	if after := b.intent(); after.Epoch != in.Epoch {
		t.Errorf("a refused decision changed it: %+v", after)
	}
	done := must(b.operator.Confirm(ctx, by(in), raw(ledger.Receipt{ID: "x"})))(t).Intent
	for name, decide := range map[string]func() error{
		"confirmed again": func() error { _, err := b.operator.Confirm(ctx, by(done), raw(1)); return err },
		"rejected":        func() error { _, err := b.operator.Reject(ctx, by(done)); return err },
		"reconciled":      func() error { _, err := b.operator.Reconcile(ctx, by(done)); return err },
	} {
		if err := decide(); !errors.As(err, &state) {
			t.Errorf("what is known is %s: %v", name, err)
		}
	}
	if _, err := b.operator.Compensate(ctx, by(done)); !errors.Is(err, provider.ErrNoUndo) {
		t.Errorf("compensating without an undo: %v", err)
	}
	b.went(in.Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
}

// What an operator confirmed does not fit the receipt's type: the step fails for good, and says so.
func TestConfirmedWithAReceiptThatDoesNotFit(t *testing.T) {
	t.Parallel()
	b, run := stuck(t, ledger.Drop)
	must(b.operator.Confirm(context.Background(), by(b.intent()), raw([]int{1})))(t)
	b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 1, 0)
}

func TestListSelects(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, s := range allStates {
		b.newIntent(string(s), s)
	}
	for want, f := range map[int]provider.Filter{
		2: {}, 7: {All: true}, 1: {State: provider.StateCompensated}, 0: {Provider: "other"}, 3: {All: true, Limit: 3},
	} {
		if got := must(b.operator.List(context.Background(), f))(t); len(got) != want {
			t.Errorf("%+v gives %d intents, want %d", f, len(got), want)
		}
	}
}
