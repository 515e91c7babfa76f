package runtime

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

var errOpen = errors.New("the bank is closed")

// A step may wait any number of times: neither its attempt nor its reclaims grow, and nothing that it wrote stays.
func TestWaitBurnsNoAttempt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const waits = 30
	runs := 0
	a := NewAction[charge]("charge", WithMaxAttempts(2), WithMaxReclaims(0))
	RegisterAction(b.reg, a, func(ctx Context, in charge) error {
		if _, err := ctx.CompletionTx().Exec(ctx, `UPDATE accounts SET balance = balance + 1`); err != nil {
			return err
		}
		if runs++; runs <= waits {
			return fmt.Errorf("charging: %w", Wait(5*time.Millisecond, errOpen))
		}
		return recordCharge(ctx, in)
	})
	b.work(slow())
	run := must[Run](t)(a.Enqueue(t.Context(), b.client, charge{"ann", 5}))
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	b.effects(run, 1)
	if n := b.count(`SELECT balance FROM accounts`); n != 1 {
		t.Errorf("balance is %d, want 1", n)
	}
	if n := b.count(`SELECT count(*) FROM idem.step_events WHERE event = 'released' AND reason = 'waiting' AND attempt = 1 AND error = 'charging: the bank is closed'`); n != waits {
		t.Errorf("%d waits in the events, want %d", n, waits)
	}
	if n := b.count(`SELECT interruptions FROM idem.steps`); n != 0 {
		t.Errorf("%d interruptions, want 0", n)
	}
	for _, e := range b.events.of(EventReleased) {
		if e.Reason != ReasonWaiting || e.Delay != 5*time.Millisecond || !errors.Is(e.Err, errOpen) {
			t.Errorf("event %+v", e)
		}
	}
}

// A waiting step is not run before its time, unless somebody wakes it.
func TestWaitingStepCanBeWoken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	runs := make(chan time.Time, 10)
	a := NewAction[charge]("charge")
	RegisterAction(b.reg, a, func(ctx Context, in charge) error {
		runs <- time.Now()
		if len(runs) == 1 {
			return Wait(time.Hour, nil)
		}
		return recordCharge(ctx, in)
	})
	b.work(slow())
	run := must[Run](t)(a.Enqueue(t.Context(), b.client, charge{"ann", 5}))
	b.eventually("the step waits", func() bool { return b.now(run).Reason == ReasonWaiting })
	s := b.now(run)
	b.is(s, StatePending, ReasonWaiting, 1, 0)
	if left := time.Until(s.ScheduledAt); left < 59*time.Minute || left > time.Hour {
		t.Errorf("it waits for %v, want an hour", left)
	}
	time.Sleep(200 * time.Millisecond) // several polls
	if len(runs) != 1 {
		t.Fatal("it did not wait")
	}
	if n := must[int](t)(b.client.Wake(context.Background(), run.ID, "")); n != 1 {
		t.Fatalf("%d steps were woken, want 1", n)
	}
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	if n := must[int](t)(b.client.Wake(context.Background(), run.ID, run.Node)); n != 0 {
		t.Errorf("%d steps that have ended were woken", n)
	}
}

// What fails for good is not made to wait by an error inside of it, and a wait is clamped.
func TestWaitWithin(t *testing.T) {
	ex := step.New(&step.Host{Steps: t.Context()}, &step.Step{Handler: &step.Handler{}, Attempt: 1, MaxAttempts: 5})
	if o := ex.Judge(Permanent(Wait(time.Second, nil))); o.Kind != step.Discarded {
		t.Errorf("a permanent error waits: %+v", o)
	}
	if o := ex.Judge(errors.Join(&MismatchError{}, Wait(time.Second, nil))); o.Reason != ReasonPayloadMismatch {
		t.Errorf("a mismatch waits: %+v", o)
	}
	for d, want := range map[time.Duration]time.Duration{-time.Hour: time.Millisecond, 1 << 62: maxDelay, time.Minute: time.Minute} {
		if o := ex.Judge(Wait(d, nil)); o.Delay != want || o.Kind != step.Released || o.Interrupted || o.State() != StatePending {
			t.Errorf("Wait(%v) gives %+v, want a delay of %v", d, o, want)
		}
	}
}

type wrapperKey struct{}

// Aside's statements stay when the step is rolled back, and end with the attempt.
func TestStatementsAside(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	write := func(ctx context.Context, db store.DB) error {
		_, err := db.Exec(ctx, `UPDATE accounts SET balance = balance + 1`)
		return err
	}
	var late *step.Execution
	a := NewAction[charge]("charge", WithMaxAttempts(1))
	RegisterAction(b.reg, a, func(ctx Context, in charge) error {
		c, err := step.Of(context.WithValue(ctx, wrapperKey{}, true))
		if err != nil {
			return err
		}
		late = c
		if err := c.Aside("write", write); err != nil {
			return err
		}
		return errOpen
	})
	stop := b.work(slow())
	run := must[Run](t)(a.Enqueue(t.Context(), b.client, charge{"ann", 5}))
	b.is(b.wait(run), StateDiscarded, ReasonAttemptsExhausted, 1, 0)
	if n := b.count(`SELECT balance FROM accounts`); n != 1 {
		t.Errorf("balance is %d, want 1", n)
	}
	if err := late.Aside("write", write); !errors.Is(err, ErrAttemptEnded) {
		t.Errorf("after the attempt: %v", err)
	}
	if err := late.AsideLasting("write", write); err != nil {
		t.Errorf("what lasts: %v", err)
	}
	if n := b.count(`SELECT balance FROM accounts`); n != 2 {
		t.Errorf("balance is %d, want 2", n)
	}
	if late.DerivedID("x_", "a", "b") == late.DerivedID("x_", "ab", "") {
		t.Error("identifiers run together")
	}
	stop()
	if _, err := step.Of(t.Context()); !errors.Is(err, ErrNotInHandler) {
		t.Errorf("outside a handler: %v", err)
	}
}
