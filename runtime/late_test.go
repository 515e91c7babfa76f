package runtime

import (
	"errors"
	"testing"
	"time"
)

// A goroutine that a handler leaves behind is refused whatever it tries, and the observer is told each time.
func TestLateCallsAreReported(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tries := make(chan []error)
	a := NewAction[charge]("leaver")
	RegisterAction(b.reg, a, func(ctx Context, in charge) error {
		go func() {
			<-ctx.Done()
			_, execErr := ctx.CompletionTx().Exec(ctx, `SELECT 1`)
			_, enqueueErr := EnqueueActionCompletion(ctx, receipt, in)
			tries <- []error{recordCharge(ctx, in), execErr, enqueueErr}
		}()
		return nil
	})
	b.work(slow())
	run := b.charge(a)
	for i, err := range <-tries {
		if !errors.Is(err, ErrAttemptEnded) || errors.Is(err, ErrAttemptTimeout) {
			t.Errorf("call %d gives %v", i, err)
		}
	}
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	b.effects(run, 0)
	for _, e := range b.saw(EventLate, 3) {
		if e.RunID != run.ID || e.Node != run.Node || !errors.Is(e.Err, ErrAttemptEnded) {
			t.Errorf("the event is %+v", e)
		}
	}
}

func TestLimits(t *testing.T) {
	got := NewStep[charge, charge]("s", WithTimeout(time.Second), WithMaxReclaims(3), WithMaxOutput(7)).Limits()
	if got.MaxReclaims == nil || *got.MaxReclaims != 3 {
		t.Fatalf("MaxReclaims is %v", got.MaxReclaims)
	}
	got.MaxReclaims = nil
	want := Limits{Queue: DefaultQueue, Timeout: time.Second, Backoff: DefaultBackoff, MaxAttempts: DefaultMaxAttempts,
		MaxInput: DefaultMaxPayload, MaxOutput: 7}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if l := NewAction[charge]("a").Limits(); l.MaxReclaims != nil {
		t.Errorf("MaxReclaims is %d without an option", *l.MaxReclaims)
	}
}
