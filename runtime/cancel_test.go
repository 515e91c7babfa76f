package runtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestCancelPending(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("cancelled")
	RegisterAction(b.reg, action, recordCharge)
	run := b.charge(action)
	if n := must[int](t)(b.client.Cancel(t.Context(), run.ID, "")); n != 1 {
		t.Errorf("cancelled %d steps, want 1", n)
	}
	other := b.charge(action)
	b.work(slow())
	b.is(b.wait(other), StateCompleted, "", 1, 0)
	b.is(b.now(run), StateCancelled, ReasonCancelled, 1, 0)
	b.effects(run, 0)
	for _, id := range []string{run.ID, other.ID, "no such run"} {
		if n := must[int](t)(b.client.Cancel(t.Context(), id, "")); n != 0 {
			t.Errorf("cancelled %d steps that have ended", n)
		}
	}
}

func TestCancelRunning(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		wrote, cause := make(chan struct{}), make(chan error, 1)
		action := NewAction[charge](way)
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			if err := writeCharge(ctx, way, in); err != nil {
				return err
			}
			close(wrote)
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return nil
		})
		cfg := slow()
		cfg.Heartbeat = 50 * time.Millisecond
		b.work(cfg)
		run := b.charge(action)
		<-wrote
		if n := must[int](t)(b.client.Cancel(t.Context(), run.ID, way)); n != 1 {
			t.Errorf("cancelled %d steps, want 1", n)
		}
		if err := <-cause; !errors.Is(err, ErrLeaseLost) {
			t.Errorf("the handler's context ended because of %v, want ErrLeaseLost", err)
		}
		b.saw(EventLeaseLost, 1)
		b.is(b.now(run), StateCancelled, ReasonCancelled, 1, 0)
		b.written(run, way, 0)
	})
}

// Cancelling races with completing: one of them wins, and the effects go with it.
func TestCancelRacesCompletion(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		const n = 40
		action := NewAction[charge](way)
		RegisterAction(b.reg, action, func(ctx Context, in charge) error { return writeCharge(ctx, way, in) })
		b.work(slow())
		runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, make([]charge, n), nil))
		var cancelled atomic.Int32
		var cancels sync.WaitGroup
		for _, run := range runs {
			cancels.Go(func() {
				won, err := b.client.Cancel(context.Background(), run.ID, "")
				if err != nil {
					t.Error(err)
				}
				cancelled.Add(int32(won))
			})
		}
		cancels.Wait()
		b.eventually("all have ended", func() bool {
			return b.count(`SELECT count(*) FROM idem.steps WHERE node = $1 AND finished_at IS NULL`, way) == 0
		})
		if got := b.count(`SELECT count(*) FROM idem.steps WHERE node = $1 AND state = 'cancelled'`, way); got != int(cancelled.Load()) {
			t.Errorf("%d steps are cancelled, %d were", got, cancelled.Load())
		}
		if torn := b.count(`SELECT count(*) FROM idem.steps s WHERE node = $1 AND (state = 'completed') <> EXISTS (SELECT FROM ledger l WHERE l.run_id = s.run_id)`, way); torn != 0 {
			t.Errorf("%d steps whose state and effects disagree", torn)
		}
	})
}

// One node of a run is cancelled, the others are not.
func TestCancelOneNode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	next := NewStep[charge, int]("next")
	action := NewAction[charge]("first")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		_, err := EnqueueCompletion(ctx, next, in, WithDelay(time.Hour))
		return err
	})
	b.work(slow())
	run := b.charge(action)
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	if n := must[int](t)(b.client.Cancel(t.Context(), run.ID, "next")); n != 1 {
		t.Errorf("cancelled %d steps, want 1", n)
	}
	steps := must[[]StepStatus](t)(b.client.Steps(t.Context(), run.ID))
	if len(steps) != 2 || steps[0].State != StateCompleted || steps[1].State != StateCancelled {
		t.Errorf("%+v", steps)
	}
}
