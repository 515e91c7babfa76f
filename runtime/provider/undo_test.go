package provider_test

import (
	"context"
	"errors"
	"testing"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// recall is an action that takes back what the step notify of another run did.
var recall = runtime.NewAction[string]("recall", runtime.WithMaxAttempts(3))

func recaller(p *provider.Provider[message, ledger.Receipt]) func(runtime.Context, string) error {
	return func(ctx runtime.Context, run string) error { return p.Undo(ctx, provider.Of(run, notify.Name())) }
}

// notified runs the action to its end, and returns its intent.
func (b *bench) notified(w way) (*provider.Provider[message, ledger.Receipt], runtime.Run, provider.Intent) {
	b.Helper()
	p := b.notifies(w)
	stop := b.work()
	run := b.enqueue()
	b.wait(run)
	stop()
	return p, run, b.intent()
}

func (b *bench) recall(run runtime.Run) runtime.Run {
	b.Helper()
	return must(recall.Enqueue(context.Background(), b.client, run.ID))(b)
}

// undone checks that the call is compensated, by one effect under a key of its own, and returns the compensation.
func (b *bench) undone(in provider.Intent) (undo provider.Intent) {
	b.Helper()
	for _, i := range b.intents() {
		if i.Compensates == in.Key {
			undo = i
		}
	}
	if undo.Key == "" || undo.Key == in.Key || b.ledger.Effects(undo.Key) != 1 || b.ledger.Effects(in.Key) != 1 {
		b.Errorf("the compensation %+v has %d effects, the call %d", undo, b.ledger.Effects(undo.Key), b.ledger.Effects(in.Key))
	}
	b.went(in.Key, provider.StatePrepared, provider.StateConfirmed, provider.StateCompensated)
	return undo
}

func TestUndo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, run, in := b.notified(windowed)
	runtime.RegisterAction(b.reg, recall, func(ctx runtime.Context, run string) error {
		for range 3 {
			if err := recaller(p)(ctx, run); err != nil {
				return err
			}
		}
		return nil
	})
	b.work()
	b.is(b.wait(b.recall(run)), runtime.StateCompleted, "", 1, 0)
	b.went(b.undone(in).Key, provider.StatePrepared, provider.StateConfirmed)
	b.asked(2, 2)
}

// The compensation is interrupted twice, before it is sent and after it was done, and its answer is lost once more.
func TestF63_CompensationInterruptedTwice(t *testing.T) {
	for _, points := range [][2]probe.Point{
		{probe.IntentAfterPrepare, probe.IntentAfterPrepare},
		{probe.IntentAfterPrepare, probe.IntentAfterAnswer},
		{probe.IntentAfterAnswer, probe.IntentAfterAnswer},
	} {
		t.Run(string(points[0])+", "+string(points[1]), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			p, run, in := b.notified(windowed)
			undo := b.recall(run)
			for _, point := range points {
				b.dies("window", point)
				b.went(in.Key, provider.StatePrepared, provider.StateConfirmed)
				b.expire(undo)
			}
			b.ledger.Next(ledger.Drop)
			runtime.RegisterAction(b.reg, recall, recaller(p))
			b.work()
			b.is(b.wait(undo), runtime.StateCompleted, "", 1, 2)
			b.went(b.undone(in).Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
		})
	}
}

// Past its window an interrupted compensation waits for an operator, whose confirmation compensates the call.
func TestInterruptedCompensationPastTheWindow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, run, in := b.notified(windowed)
	undo := b.recall(run)
	b.dies("window", probe.IntentAfterAnswer)
	b.exec(`UPDATE idem.intents SET window_ends_at = now(), epoch = epoch + 1, actor = 'test', reason = 'time passes' WHERE compensates IS NOT NULL`)
	b.ledger.Forget()
	b.expire(undo)
	runtime.RegisterAction(b.reg, recall, recaller(p))
	b.work()
	b.waits(undo)
	b.asked(2, 2)
	open := must(b.operator.List(context.Background(), provider.Filter{}))(t)
	if len(open) != 1 || open[0].Compensates != in.Key {
		t.Fatalf("open intents %+v", open)
	}
	must(b.operator.Confirm(context.Background(), by(open[0]), raw(nil)))(t)
	b.is(b.wait(undo), runtime.StateCompleted, "", 1, 1)
	b.undone(in)
	b.asked(2, 2)
}

// The provider refuses to take it back: the call stands.
func TestUndoRejected(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, run, in := b.notified(windowed)
	b.ledger.Next(ledger.Reject)
	runtime.RegisterAction(b.reg, recall, recaller(p))
	b.work()
	b.is(b.wait(b.recall(run)), runtime.StateDiscarded, runtime.ReasonPermanent, 1, 0)
	b.went(in.Key, provider.StatePrepared, provider.StateConfirmed)
}

// A call whose outcome is unknown is looked up before it is taken back: found, it is; absent, there is nothing to do.
func TestUndoOfAnUnknownCall(t *testing.T) {
	for name, lost := range map[string]ledger.Behaviour{"done": ledger.Drop, "not done": ledger.Lose} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.ledger.Next(lost)
			p := define(both, b.api)
			runtime.RegisterAction(b.reg, notify, func(ctx runtime.Context, in message) error {
				_, err := p.Call(ctx, in)
				if !errors.Is(err, provider.ErrUnknown) {
					t.Errorf("the call: %v", err)
				}
				return nil
			})
			runtime.RegisterAction(b.reg, recall, recaller(p))
			b.work()
			run := b.enqueue()
			b.wait(run)
			b.is(b.wait(b.recall(run)), runtime.StateCompleted, "", 1, 0)
			call := b.intents()[0]
			if name == "done" {
				b.went(call.Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled, provider.StateCompensated)
				b.asked(2, 2)
			} else {
				b.went(call.Key, provider.StatePrepared, provider.StateUnknown, provider.StateRejected)
				b.asked(1, 0)
			}
		})
	}
}

// A call that was taken back is not made again by the same step.
func TestCallAfterItsUndo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := define(windowed, b.api)
	got := make(chan error, 1)
	runtime.RegisterAction(b.reg, notify, func(ctx runtime.Context, in message) error {
		if _, err := p.Call(ctx, in); err != nil {
			return err
		}
		if err := p.Undo(ctx); err != nil {
			return err
		}
		_, err := p.Call(ctx, in)
		got <- err
		return err
	})
	b.work()
	b.is(b.wait(b.enqueue()), runtime.StateDiscarded, runtime.ReasonPermanent, 1, 0)
	if err := <-got; !errors.Is(err, provider.ErrCompensated) {
		t.Error(err)
	}
	b.asked(2, 2)
}

func TestUndoOfNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got := make(chan error, 2)
	p, without := define(windowed, b.api), define(lookedUp, b.api)
	runtime.RegisterAction(b.reg, notify, func(ctx runtime.Context, in message) error {
		got <- p.Undo(ctx)
		got <- without.Undo(ctx)
		return nil
	})
	b.work()
	b.wait(b.enqueue())
	if err := <-got; !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("no call: %v", err)
	}
	if err := <-got; !errors.Is(err, provider.ErrNoUndo) {
		t.Errorf("no undo: %v", err)
	}
}

// An operator asks, and a worker that has registered the undo does it: once, however often it is asked for.
func TestOperatorCompensates(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, _, in := b.notified(windowed)
	provider.RegisterUndo(b.reg, p)
	res := must(b.operator.Compensate(context.Background(), by(in)))(t)
	again := must(b.operator.Compensate(context.Background(), by(res.Intent)))(t)
	if res.Step == nil || again.Step == nil || res.Step.RunID != again.Step.RunID {
		t.Fatalf("asked twice: %+v, %+v", res.Step, again.Step)
	}
	b.work()
	b.is(b.wait(runtime.Run{ID: res.Step.RunID, Node: res.Step.Node}), runtime.StateCompleted, "", 1, 0)
	b.undone(in)
	b.asked(2, 2)
}

// A call that has not left is closed by its undo: it is not sent afterwards either.
func TestUndoOfWhatHasNotLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := provider.Define("send_sms", func(context.Context, string, message) (ledger.Receipt, error) {
		return ledger.Receipt{}, provider.NotSent(errors.New("no line"))
	}, windowed.options(b.api)...)
	runtime.RegisterAction(b.reg, notify, notifier(p))
	runtime.RegisterAction(b.reg, recall, recaller(p))
	b.work()
	run := b.enqueue()
	b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonAttemptsExhausted, 3, 0)
	b.is(b.wait(b.recall(run)), runtime.StateCompleted, "", 1, 0)
	must(b.client.Retry(context.Background(), run.ID, ""))(t)
	b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 4, 0)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateRejected)
}
