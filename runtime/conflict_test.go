package runtime

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/idemimpl"
)

// A deferred constraint speaks only when the transaction commits.
func TestF26_DeferredConstraintFailsAtCommit(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		b.exec(`INSERT INTO strict VALUES (1)`)
		var insert = idemimpl.Effect{Table: "strict", Columns: []string{"n"}, InsertSQL: `INSERT INTO strict SELECT $4::bigint WHERE $1::text <> '' AND $2::text <> '' AND $3::bytea <> ''`}
		action := NewAction[charge](way, WithBackoff(time.Millisecond))
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			if err := errors.Join(noteRun(ctx, b.pool), writeCharge(ctx, way, in)); err != nil {
				return err
			}
			return insert.Record(ctx, int64(ctx.Attempt())) // 1 is taken, 2 is free
		})
		b.work(slow())
		run := b.charge(action)
		b.is(b.wait(run), StateCompleted, "", 2, 0)
		b.written(run, way, 1)
		b.ran(run, 2)
		if n := b.count(`SELECT count(*) FROM idem.step_events WHERE event = 'retried' AND attempt = 1 AND error LIKE '%strict_once%'`); n != 1 {
			t.Error("the error of the constraint was not recorded")
		}
	})
}

// raise makes a table's inserts fail with sqlstate as many times as the sequence says.
func (b *bench) raise(table, sqlstate string, times int, deferred bool) {
	b.Helper()
	b.exec(`CREATE SEQUENCE failures; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF nextval('failures') <= ` + strconv.Itoa(times) + ` THEN RAISE EXCEPTION 'on purpose' USING ERRCODE = '` + sqlstate + `'; END IF; RETURN NULL; END $$`)
	if deferred {
		b.exec(`CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON ` + table + ` DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
		return
	}
	b.exec(`CREATE TRIGGER fail AFTER INSERT ON ` + table + ` FOR EACH ROW EXECUTE FUNCTION fail()`)
}

func TestF27_ConflictsKeepTheAttempt(t *testing.T) {
	for _, code := range []string{"40001", "40P01"} {
		for when, deferred := range map[string]bool{"at the write": false, "at the commit": true} {
			t.Run(code+" "+when, func(t *testing.T) {
				bothWays(t, func(t *testing.T, b *bench, way string) {
					b.raise("ledger", code, 3, deferred)
					action := NewAction[charge](way)
					RegisterAction(b.reg, action, charger(way, b.pool))
					b.work(slow())
					run := b.charge(action)
					b.is(b.wait(run), StateCompleted, "", 1, 0)
					b.written(run, way, 1)
				})
			})
		}
	}
}

// An attempt that is run again reads its input again, and so finds out that its step was cancelled meanwhile.
func TestF27_ConflictAfterTheStepWasCancelled(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		b.raise("ledger", "40001", 1, false)
		action := NewAction[charge](way)
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			_, err := b.client.Cancel(t.Context(), ctx.RunID(), "")
			return errors.Join(noteRun(ctx, b.pool), err, writeCharge(ctx, way, in))
		})
		cfg := slow()
		cfg.Lease = time.Hour // no heartbeat finds it out before
		b.work(cfg)
		run := b.charge(action)
		b.is(b.wait(run), StateCancelled, ReasonCancelled, 1, 0)
		b.eventually("the lease to be lost", func() bool { return len(b.events.of(EventLeaseLost)) == 1 })
		b.ran(run, 1)
		b.written(run, way, 0)
	})
}

func TestF27_ConflictsWithoutEndFailTheAttempt(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		b.raise("ledger", "40001", 1000, false)
		action := NewAction[charge](way, WithMaxAttempts(2), WithBackoff(time.Millisecond))
		RegisterAction(b.reg, action, charger(way, b.pool))
		b.work(slow())
		run := b.charge(action)
		b.is(b.wait(run), StateDiscarded, ReasonAttemptsExhausted, 2, 0)
		b.written(run, way, 0)
	})
}

// Two handlers lock the same rows crosswise. One of them is run again, and both complete at their first
// attempt.
func TestF27_RealDeadlock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(`INSERT INTO accounts VALUES ('bob')`)
	b.exec(`ALTER DATABASE ` + pgx.Identifier{b.pool.Config().ConnConfig.Database}.Sanitize() + ` SET deadlock_timeout = '50ms'`)
	var meet sync.WaitGroup
	meet.Add(2)
	var arrived atomic.Int32
	action := NewAction[charge]("crosswise")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		first, second := "ann", "bob"
		if in.User == "bob" {
			first, second = second, first
		}
		const add = `UPDATE accounts SET balance = balance + 1 WHERE user_id = $1`
		if _, err := ctx.CompletionTx().Exec(ctx, add, first); err != nil {
			return err
		}
		if arrived.Add(1) <= 2 {
			meet.Done()
			meet.Wait()
		}
		_, err := ctx.CompletionTx().Exec(ctx, add, second)
		return err
	})
	b.work(slow())
	for _, run := range must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, []charge{{User: "ann"}, {User: "bob"}}, nil)) {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
	if n := b.count(`SELECT count(*) FROM accounts WHERE balance = 2`); n != 2 {
		t.Errorf("%d balances are 2, want both", n)
	}
	if arrived.Load() < 3 {
		t.Error("there was no deadlock: the test shows nothing")
	}
}

// A handler's statement runs into a timeout of the session; the connection serves the next one.
func TestF28_StatementAndLockTimeout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ setting, statement string }{
		"statement_timeout": {"statement_timeout", `SELECT pg_sleep(60)`},
		"lock_timeout":      {"lock_timeout", `SELECT pg_advisory_xact_lock(1)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.lock()
			cfg := b.pool.Config()
			cfg.ConnConfig.RuntimeParams[c.setting] = "100"
			pool := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
			t.Cleanup(pool.Close)
			var runs atomic.Int32
			action := NewAction[charge](name, WithBackoff(time.Millisecond))
			RegisterAction(b.reg, action, func(ctx Context, in charge) error {
				if err := writeCharge(ctx, direct, in); err != nil {
					return err
				}
				if runs.Add(1) == 1 {
					_, err := ctx.CompletionTx().Exec(ctx, c.statement)
					return err
				}
				return nil
			})
			worker := slow()
			worker.Connections = 1
			b.workOn(pool, worker)
			run := b.charge(action)
			if end := b.wait(run); end.State != StateCompleted || end.Reclaims != 0 {
				t.Errorf("%+v", end)
			}
			b.written(run, direct, 1)
			if n := runs.Load(); n != 2 {
				t.Errorf("%d runs, want 2", n)
			}
		})
	}
}

// F32: hundreds of statements that their handlers' own contexts cancel break connections, and none of them
// comes back to another handler. There are never more than the worker may have.
func TestF32_CancelledStatementsLeaveNoConnections(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 400
	action := NewAction[charge]("cancels", WithBackoff(time.Millisecond))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if ctx.Attempt() == 1 {
			if _, err := ctx.CompletionTx().Exec(ctx, `SELECT 1`); err != nil {
				return err
			}
			short, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			_, err := ctx.CompletionTx().Exec(short, `SELECT pg_sleep(60)`)
			return err
		}
		return ledger.Record(ctx, in.User, in.Amount, nil)
	})
	cfg := slow()
	cfg.Connections = 16
	pool := b.pool.Config()
	pool.ConnConfig.RuntimeParams["application_name"] = "counted"
	counted := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), pool))
	t.Cleanup(counted.Close)
	must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, make([]charge, n), nil))
	b.workOn(counted, cfg)
	sessions := func() int {
		return b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'counted'`)
	}
	most := 0
	b.eventually("all are through", func() bool {
		most = max(most, sessions())
		return b.count(`SELECT count(*) FROM idem.steps WHERE state = 'completed'`) == n
	})
	// The server takes a moment to notice that a session's client is gone.
	if limit := 2*cfg.Connections + cfg.Committers + 3 + 1; most > limit {
		t.Errorf("%d sessions at a time, want at most %d", most, limit)
	}
	if got := b.count(`SELECT count(*) FROM ledger`); got != n {
		t.Errorf("%d ledger rows, want %d", got, n)
	}
}
