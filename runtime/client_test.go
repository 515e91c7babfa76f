package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/probe"
)

func TestStatusAndOutput(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	if _, err := b.client.Status(ctx, "run", "node"); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such run: %v, want ErrNotFound", err)
	}
	if steps := must[[]StepStatus](t)(b.client.Steps(ctx, "run")); len(steps) != 0 {
		t.Errorf("no such run has steps: %+v", steps)
	}
	good, bad := NewStep[charge, []int]("good"), NewStep[charge, int]("bad")
	RegisterStep(b.reg, good, func(Context, charge) ([]int, error) { return []int{1, 2}, nil })
	RegisterStep(b.reg, bad, func(Context, charge) (int, error) { return 7, Permanent(errors.New("no such account")) })
	run := must[Run](t)(good.Enqueue(ctx, b.client, charge{}))
	waitsInVain(t, b, run)
	b.work(slow())
	if out := must[[]int](t)(good.Output(ctx, b.client, run)); len(out) != 2 {
		t.Errorf("output %v", out)
	}
	s := b.now(run)
	if string(s.Output) != "[1,2]" || s.FinishedAt == nil || s.Queue != DefaultQueue || s.ScheduledAt.IsZero() || s.Error != "" {
		t.Errorf("%+v", s)
	}
	failed := must[Run](t)(bad.Enqueue(ctx, b.client, charge{}))
	_, err := bad.Output(ctx, b.client, failed)
	for _, part := range []string{failed.ID, "discarded", "permanent", "no such account"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not speak of %q", err, part)
		}
	}
}

// waitsInVain waits for a step that nobody runs: the deadline ends it, with the step as it was read last. A deadline
// that passes before the first reading gives no step, so a busy machine gets a longer one.
func waitsInVain(t *testing.T, b *bench, run Run) {
	t.Helper()
	for limit := 50 * time.Millisecond; limit < time.Minute; limit *= 4 {
		short, cancel := context.WithTimeout(t.Context(), limit)
		s, err := b.client.Wait(short, run)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || s.State != StatePending && s.State != "" {
			t.Errorf("waiting for a step that nobody runs: %+v, %v", s, err)
		}
		if s.State == StatePending {
			return
		}
	}
	t.Error("no wait has read the step")
}

// F44: an operator's retry keeps the run and its keys; effects that are there already are not written again.
func TestF44_RetryKeepsRunAndKeys(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		action := NewAction[charge](way, WithMaxAttempts(1))
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			if err := errors.Join(noteRun(ctx, b.pool), writeCharge(ctx, way, in)); err != nil {
				return err
			}
			if ctx.Attempt() == 1 {
				return errors.New("broken")
			}
			return nil
		})
		b.work(slow())
		run := b.charge(action)
		b.is(b.wait(run), StateDiscarded, ReasonAttemptsExhausted, 1, 0)
		if n := must[int](t)(b.client.Retry(t.Context(), run.ID, way)); n != 1 {
			t.Errorf("retried %d steps, want 1", n)
		}
		b.is(b.wait(run), StateCompleted, "", 2, 0)
		b.written(run, way, 1)
		if n := b.count(`SELECT count(DISTINCT run_id) FROM runs`); n != 1 {
			t.Errorf("%d run ids", n)
		}
		if n := must[int](t)(b.client.Retry(t.Context(), run.ID, way)); n != 0 {
			t.Errorf("retried %d completed steps", n)
		}
	})
}

// F25: what a handler writes past its transaction is not undone, and not promised to be. It shows.
func TestF25_WritePastTheTransactionSurvives(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := b.charge(NewAction[charge](direct))
	b.crash(direct, probe.CompleteBeforeFence)
	b.written(run, direct, 0)
	b.ran(run, 1) // the stray row
	b.is(b.recover(run, direct), StateCompleted, "", 1, 1)
	b.written(run, direct, 1)
	b.ran(run, 2)
}
