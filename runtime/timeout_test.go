package runtime

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// brief is a timeout that a test waits for. What is to happen before it must do so on a busy machine, too.
const brief = time.Second

func TestF08_CooperativeTimeout(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		var cause, errOfContext atomic.Value
		action := NewAction[charge](way, WithTimeout(brief), WithBackoff(time.Millisecond))
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			if ctx.Attempt() == 1 {
				if err := writeCharge(ctx, way, in); err != nil {
					return err
				}
				<-ctx.Done()
				cause.Store(context.Cause(ctx))
				errOfContext.Store(ctx.Err())
				return ctx.Err()
			}
			return writeCharge(ctx, way, in)
		})
		b.work(slow())
		run := b.charge(action)
		b.is(b.wait(run), StateCompleted, "", 2, 0)
		b.written(run, way, 1)
		if err, _ := cause.Load().(error); !errors.Is(err, ErrAttemptTimeout) {
			t.Errorf("the context's cause is %v, want ErrAttemptTimeout", err)
		}
		if err, _ := errOfContext.Load().(error); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the context's error is %v, want DeadlineExceeded", err)
		}
		if n := b.count(`SELECT count(*) FROM idem.step_events WHERE event = 'retried' AND reason = 'timeout' AND attempt = 1`); n != 1 {
			t.Errorf("%d timeouts in the events, want 1", n)
		}
		if n := len(b.events.of(EventStuck)); n != 0 {
			t.Errorf("%d stuck events for a handler that returned", n)
		}
	})
}

func TestTimeoutsExhaustAttempts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("late", WithTimeout(brief), WithMaxAttempts(2), WithBackoff(time.Millisecond))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		<-ctx.Done()
		return nil // whatever it says
	})
	b.work(slow())
	b.is(b.wait(b.charge(action)), StateDiscarded, ReasonAttemptsExhausted, 2, 0)
}

// A handler ignores its context and writes after its timeout, in every way there is. Each is refused with a
// typed error, and nothing of it is committed.
func TestF09_LateWritesAreRefused(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		late := make(chan map[string]error, 1)
		goOn, back := make(chan struct{}), make(chan struct{})
		action := NewAction[charge](way, WithTimeout(brief), WithBackoff(time.Millisecond))
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			if ctx.Attempt() > 1 {
				return writeCharge(ctx, way, in)
			}
			if way == direct {
				if _, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO accounts VALUES ('zombie', 0)`); err != nil {
					return err
				}
			}
			<-goOn // its own clock
			late <- lateWrites(ctx)
			<-back
			return nil
		})
		cfg := slow()
		b.work(cfg)
		run := b.charge(action)
		b.is(b.wait(run), StateCompleted, "", 2, 0)
		b.saw(EventStuck, 1)
		close(goOn)
		for call, err := range <-late {
			if !errors.Is(err, ErrAttemptEnded) || !errors.Is(err, ErrAttemptTimeout) {
				t.Errorf("late %s gives %v, want ErrAttemptEnded because of ErrAttemptTimeout", call, err)
			}
		}
		if n := len(b.events.of(EventUnstuck)); n != 0 {
			t.Error("unstuck before the handler has returned")
		}
		close(back)
		b.saw(EventUnstuck, 1)
		b.is(b.now(run), StateCompleted, "", 2, 0)
		b.written(run, way, 1)
		if n := b.count(`SELECT count(*) FROM accounts WHERE user_id = 'zombie'`); n != 0 {
			t.Errorf("%d zombie rows", n)
		}
	})
}

// lateWrites tries everything that writes.
func lateWrites(ctx Context) map[string]error {
	const insert = `INSERT INTO accounts VALUES ('zombie', 0)`
	bg := context.Background()
	tx := ctx.CompletionTx()
	errs := map[string]error{}
	errs["Record"] = recordCharge(ctx, charge{"zombie", 1})
	_, errs["Insert"] = ledger.Insert(ctx, []any{new(string), new(int64), new(time.Time)}, "zombie", int64(1), nil)
	_, errs["Exec"] = tx.Exec(bg, insert)
	_, errs["Query"] = tx.Query(bg, insert)
	errs["QueryRow"] = tx.QueryRow(bg, insert+` RETURNING 1`).Scan(new(int))
	_, errs["CopyFrom"] = tx.CopyFrom(bg, pgx.Identifier{"accounts"}, []string{"user_id"}, pgx.CopyFromRows([][]any{{"zombie"}}))
	batch := &pgx.Batch{}
	batch.Queue(insert)
	errs["SendBatch"] = tx.SendBatch(bg, batch).Close()
	_, errs["EnqueueActionCompletion"] = EnqueueActionCompletion(ctx, receipt, charge{"zombie", 1})
	_, errs["EnqueueCompletion"] = EnqueueCompletion(ctx, NewStep[charge, int]("zombie"), charge{"zombie", 1})
	return errs
}

// A goroutine that outlives its handler can write no more, whether the step completed or not.
func TestGoroutineOutlivesHandler(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		late, goOn := make(chan map[string]error, 1), make(chan struct{})
		action := NewAction[charge](way)
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			go func() {
				<-goOn
				late <- lateWrites(ctx)
			}()
			return writeCharge(ctx, way, in)
		})
		b.work(slow())
		run := b.charge(action)
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		close(goOn)
		for call, err := range <-late {
			if !errors.Is(err, ErrAttemptEnded) {
				t.Errorf("late %s gives %v, want ErrAttemptEnded", call, err)
			}
		}
		b.written(run, way, 1)
		if n := b.count(`SELECT count(*) FROM accounts WHERE user_id = 'zombie'`); n != 0 {
			t.Errorf("%d zombie rows", n)
		}
	})
}

// The timeout interrupts a statement that runs on, with a context that never ends, and frees its locks.
func TestTimeoutInterruptsAStatement(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("sleeps", WithTimeout(brief), WithBackoff(time.Millisecond))
	late := make(chan error, 1)
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if ctx.Attempt() == 1 {
			_, err := ctx.CompletionTx().Exec(context.Background(), `UPDATE accounts SET balance = balance + 1; SELECT pg_sleep(600)`)
			late <- err
			return nil
		}
		return writeCharge(ctx, direct, in)
	})
	b.work(slow())
	run := b.charge(action)
	b.is(b.wait(run), StateCompleted, "", 2, 0)
	if err := <-late; !errors.Is(err, ErrAttemptEnded) {
		t.Errorf("the interrupted statement gives %v, want ErrAttemptEnded", err)
	}
	b.written(run, direct, 1)
	b.eventually("the server has let go of the statement", func() bool {
		return b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`) == 0
	})
}

// A stuck handler keeps its place: the worker does not take on more than it was told to run.
func TestStuckHandlerKeepsItsPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	free := make(chan struct{})
	var once atomic.Bool
	action := NewAction[charge]("stuck", WithTimeout(brief), WithBackoff(time.Millisecond))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if once.CompareAndSwap(false, true) {
			<-free
			return nil
		}
		return recordCharge(ctx, in)
	})
	cfg := slow()
	cfg.Queues = map[string]int{DefaultQueue: 1}
	b.work(cfg)
	run := b.charge(action)
	b.saw(EventStuck, 1)
	b.saw(EventRetried, 1)
	if s := b.now(run); s.State != StatePending || s.Attempt != 2 {
		t.Errorf("the step is %s with attempt %d, want it pending with attempt 2", s.State, s.Attempt)
	}
	close(free)
	b.is(b.wait(run), StateCompleted, "", 2, 0)
	events := func() (kinds []EventKind) {
		b.events.mu.Lock()
		defer b.events.mu.Unlock()
		for _, e := range b.events.events {
			kinds = append(kinds, e.Kind)
		}
		return kinds
	}()
	if unstuck := slices.Index(events, EventUnstuck); unstuck < 0 || slices.Index(events[unstuck:], EventStarted) < 0 {
		t.Errorf("the next attempt did not start after the handler came back: %v", events)
	}
	b.effects(run, 1)
}

// The deadline that the handler sees is its timeout's.
func TestContextDeadline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got := make(chan time.Duration, 1)
	action := NewAction[charge]("deadline", WithTimeout(7*time.Second))
	RegisterAction(b.reg, action, func(ctx Context, _ charge) error {
		at, ok := ctx.Deadline()
		if !ok {
			return errors.New("no deadline")
		}
		got <- time.Until(at)
		return nil
	})
	b.work(slow())
	b.is(b.wait(b.charge(action)), StateCompleted, "", 1, 0)
	if left := <-got; left <= 0 || left > 7*time.Second {
		t.Errorf("%v are left, want just under 7s", left)
	}
}
