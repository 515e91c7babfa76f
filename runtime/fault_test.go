package runtime

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/probe"
)

// The two ways in which a handler writes: recorded effects are committed by the group path, direct statements
// by the transaction that the handler holds.
const (
	recorded = "recorded"
	direct   = "direct"
)

// bothWays runs a test for handlers of either kind.
func bothWays(t *testing.T, test func(t *testing.T, b *bench, way string)) {
	t.Parallel()
	for _, way := range []string{recorded, direct} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			test(t, newBench(t), way)
		})
	}
}

// receipt is the follow-up that charges enqueue. Its handler is registered nowhere: its rows are counted.
var receipt = NewAction[charge]("receipt")

// writeCharge writes a ledger row and a follow-up; directly, it also adds to the balance, which has no key.
func writeCharge(ctx Context, way string, in charge) error {
	if err := recordCharge(ctx, in); err != nil {
		return err
	}
	if _, err := EnqueueActionCompletion(ctx, receipt, in); err != nil {
		return err
	}
	if way == recorded {
		return nil
	}
	_, err := ctx.CompletionTx().Exec(ctx, `UPDATE accounts SET balance = balance + $1 WHERE user_id = $2`, in.Amount, in.User)
	return err
}

// noteRun adds a row that survives whatever becomes of the execution.
func noteRun(ctx Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, `INSERT INTO runs VALUES ($1, $2, $3)`, ctx.RunID(), ctx.Node(), ctx.Attempt())
	return err
}

// charger is the usual handler: it notes that it runs, and writes.
func charger(way string, pool *pgxpool.Pool) func(Context, charge) error {
	return func(ctx Context, in charge) error {
		if err := noteRun(ctx, pool); err != nil {
			return err
		}
		return writeCharge(ctx, way, in)
	}
}

const amount = 100

// charge enqueues a run of the action.
func (b *bench) charge(a *Action[charge]) Run {
	b.Helper()
	return must[Run](b)(a.Enqueue(context.Background(), b.client, charge{"ann", amount}))
}

// written checks that the run's effects are there n times: the ledger row, the follow-up and the balance.
func (b *bench) written(run Run, way string, n int) {
	b.Helper()
	b.effects(run, n)
	if got := b.count(`SELECT count(*) FROM idem.steps WHERE node = 'receipt'`); got != n {
		b.Errorf("%d follow-ups, want %d", got, n)
	}
	if way == direct {
		if got := b.count(`SELECT balance FROM accounts WHERE user_id = 'ann'`); got != n*amount {
			b.Errorf("balance is %d, want %d", got, n*amount)
		}
	}
}

// ran checks how often the handler was run.
func (b *bench) ran(run Run, want int) {
	b.Helper()
	if got := b.count(`SELECT count(*) FROM runs WHERE run_id = $1 AND node = $2`, run.ID, run.Node); got != want {
		b.Errorf("the handler ran %d times, want %d", got, want)
	}
}

// now returns the step as it is.
func (b *bench) now(run Run) StepStatus {
	b.Helper()
	return must[StepStatus](b)(b.client.Status(context.Background(), run.ID, run.Node))
}

// expire lets the lease of a running step be over, whatever its worker does.
func (b *bench) expire(run Run) {
	b.Helper()
	b.exec(`UPDATE idem.steps SET lease_expires_at = clock_timestamp() - interval '1 hour' WHERE run_id = $1 AND node = $2 AND state = 'running'`,
		run.ID, run.Node)
}

// saw waits for n events of a kind.
func (b *bench) saw(kind EventKind, n int) []Event {
	b.Helper()
	b.eventually(string(kind)+" event", func() bool { return len(b.events.of(kind)) >= n })
	return b.events.of(kind)
}

// hooks lets tests that run in parallel share the process's only probe hook: each names its run.
var hooks struct {
	sync.Mutex
	set map[hookKey]func()
}

type hookKey struct {
	point probe.Point
	runID string
}

// at calls f whenever run passes point, until the test ends.
func (b *bench) at(point probe.Point, run Run, f func()) {
	hooks.Lock()
	defer hooks.Unlock()
	if hooks.set == nil {
		hooks.set = map[hookKey]func(){}
		probe.Set(func(p probe.Point, runID, _ string) {
			hooks.Lock()
			f := hooks.set[hookKey{p, runID}]
			hooks.Unlock()
			if f != nil {
				f()
			}
		})
	}
	key := hookKey{point, run.ID}
	hooks.set[key] = f
	b.Cleanup(func() {
		hooks.Lock()
		defer hooks.Unlock()
		delete(hooks.set, key)
	})
}

// The sessions of the test's database that hold the lock of [bench.lock] or wait for it.
const (
	atLock        = ` FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	waitingAtLock = atLock + ` AND NOT granted`
)

// lock takes the advisory lock 1, at which triggers and statements of a test wait until open is called.
func (b *bench) lock() (open func()) {
	b.Helper()
	ctx := context.Background()
	conn := must[*pgxpool.Conn](b)(b.pool.Acquire(ctx))
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(1)`); err != nil {
		b.Fatal(err)
	}
	open = sync.OnceFunc(func() {
		_, _ = conn.Exec(ctx, `SELECT pg_advisory_unlock(1)`)
		conn.Release()
	})
	b.Cleanup(open)
	return open
}
