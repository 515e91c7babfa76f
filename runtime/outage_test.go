package runtime

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/wire"
	"github.com/idem-go/idem/runtime/pgtest"
)

// load starts a worker and enqueues runs of both ways, each with a user of its own. Once the worker is at it,
// during happens; then load waits for the end of all. An enqueue that fails is tried again under its key, as a
// caller would.
func (b *bench) load(n int, pool *pgxpool.Pool, during func()) {
	b.Helper()
	actions := map[int]*Action[charge]{}
	for i, way := range []string{recorded, direct} {
		actions[i] = NewAction[charge](way, WithBackoff(10*time.Millisecond), WithTimeout(5*time.Second))
		RegisterAction(b.reg, actions[i], func(ctx Context, in charge) error {
			if err := recordCharge(ctx, in); err != nil {
				return err
			}
			if way == recorded {
				return nil
			}
			_, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO accounts AS a VALUES ($1, 1) ON CONFLICT (user_id) DO UPDATE SET balance = a.balance + 1`, in.User)
			return err
		})
	}
	b.workOn(pool, brisk())
	var callers sync.WaitGroup
	callers.Go(func() {
		for i := range n {
			in := charge{fmt.Sprintf("user-%d", i), int64(i)}
			for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				_, err := actions[i%2].Enqueue(ctx, b.client, in, WithKey("load", in.User))
				cancel()
				if err == nil {
					break
				}
				if time.Now().After(end) {
					b.Errorf("enqueue: %v", err)
					return
				}
			}
		}
	})
	b.saw(EventClaimed, 1)
	during()
	callers.Wait()
	b.eventually("all steps have ended", func() bool {
		var left int
		err := b.pool.QueryRow(context.Background(), `SELECT count(*) FROM idem.steps WHERE finished_at IS NULL`).Scan(&left)
		return err == nil && left == 0
	})
}

// nothingLost checks a load of n: every run completed, with its row and its increment once.
func (b *bench) nothingLost(n int) {
	b.Helper()
	for what, sql := range map[string]string{
		"completed steps":            `SELECT count(*) FROM idem.steps WHERE state = 'completed'`,
		"steps":                      `SELECT count(*) FROM idem.steps`,
		"ledger rows":                `SELECT count(*) FROM ledger`,
		"steps with their own row":   `SELECT count(*) FROM idem.steps s JOIN ledger l USING (run_id, node)`,
		"balances written exactly 1": `SELECT 2 * count(*) FROM accounts WHERE balance = 1`,
		"balances at all":            `SELECT 2 * count(*) FROM accounts WHERE user_id <> 'ann'`,
	} {
		if got := b.count(sql); got != n {
			b.Errorf("%d %s, want %d", got, what, n)
		}
	}
}

// noAttemptBurnt checks that the database's troubles were nobody's failed attempts.
func (b *bench) noAttemptBurnt() {
	b.Helper()
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE attempt > 1`); n != 0 {
		var reasons string
		_ = b.pool.QueryRow(context.Background(), `SELECT string_agg(DISTINCT reason || ': ' || error, '; ') FROM idem.step_events WHERE event = 'retried'`).Scan(&reasons)
		b.Errorf("%d steps have burnt an attempt: %s", n, reasons)
	}
}

// brisk is a worker that gets over claims whose answer was lost in seconds, and whose attempts do not time out
// because the machine is busy.
func brisk() Config {
	cfg := slow()
	cfg.Lease, cfg.Heartbeat = 6*time.Second, 500*time.Millisecond
	return cfg
}

// F71: backends are terminated under load.
func TestBackendsTerminatedUnderLoad(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 200
	proxied, proxy := b.proxied()
	b.load(n, proxied, func() {
		for range 10 {
			time.Sleep(30 * time.Millisecond)
			proxy.Disconnect()
			b.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'idem %'`)
		}
	})
	b.nothingLost(n)
	b.noAttemptBurnt()
}

// F71: the server crashes and comes back under load, twice; then it restarts in good order.
func TestServerRestartsUnderLoad(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts servers of its own")
	}
	server := pgtest.Own(t)
	b := newBenchOn(t, server.New(t, pgtest.Migrated("runtime", migrate)))
	const n = 300
	b.load(n, b.pool, func() {
		for i := range 3 {
			time.Sleep(100 * time.Millisecond)
			if i == 2 {
				if err := server.Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := server.Crash(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			if err := server.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		b.pool.Reset() // the test's own
	})
	b.nothingLost(n)
	b.noAttemptBurnt()
}

// F71 and 25006: the server refuses writes for a while, on the connections that there are and on new ones. That is
// waited out.
func TestReadOnlyWindow(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		database := pgx.Identifier{b.pool.Config().ConnConfig.Database}.Sanitize()
		admin := must[*pgx.Conn](t)(pgx.Connect(t.Context(), b.pool.Config().ConnString()))
		defer func() { _ = admin.Close(context.Background()) }()
		exec := func(sql string) {
			if _, err := admin.Exec(context.Background(), sql); err != nil {
				t.Error(err)
			}
		}
		started, goOn := make(chan struct{}, 1), make(chan struct{})
		action := NewAction[charge](way)
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			select {
			case started <- struct{}{}:
				<-goOn // the first run's writes meet a read-only server
			default:
			}
			return writeCharge(ctx, way, in)
		})
		b.work(slow())
		run := b.charge(action)
		<-started
		exec(`ALTER DATABASE ` + database + ` SET default_transaction_read_only = on`)
		terminate := `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
		exec(terminate)
		close(goOn)
		b.saw(EventUnreachable, 2)
		exec(`SET default_transaction_read_only = off`)
		exec(`ALTER DATABASE ` + database + ` RESET default_transaction_read_only`)
		b.pool.Reset() // the test's own
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		b.written(run, way, 1)
	})
}

// The listening connection is cut. Work goes on by polling, and listening resumes.
func TestListenConnectionIsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("heard")
	RegisterAction(b.reg, action, recordCharge)
	cfg := slow()
	cfg.Poll = time.Hour
	b.work(cfg)
	const listener = ` FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
	for range 3 {
		b.eventually("the worker listens", func() bool { return b.count(`SELECT count(*)`+listener) == 1 })
		old := b.count(`SELECT pid` + listener)
		b.exec(`SELECT pg_terminate_backend(pid)` + listener)
		// Announced while nobody listens: the worker looks once it listens again.
		run := b.charge(action)
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		b.eventually("it listens on a new connection", func() bool {
			return b.count(`SELECT count(*)`+listener) == 1 && b.count(`SELECT pid`+listener) != old
		})
	}
}

// The listening connection is half open: no error ever comes. Polling finds the work.
func TestListenConnectionIsSilent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	pool, proxy := b.proxied()
	action := NewAction[charge]("polled")
	RegisterAction(b.reg, action, recordCharge)
	cfg := slow()
	cut := proxy.CutReply(wire.Statement("LISTEN"), wire.Hold(time.Minute))
	b.workOn(pool, cfg)
	<-cut.Fired()
	for range 3 {
		b.is(b.wait(b.charge(action)), StateCompleted, "", 1, 0)
	}
}

// Handlers hold every connection that they may have, and wait; recorded completions, claims and heartbeats go
// on with those of the worker.
func TestHandlersCannotStarveTheWorker(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	open := b.lock()
	hogs, others := NewAction[charge]("hogs"), NewAction[charge]("others")
	RegisterAction(b.reg, hogs, func(ctx Context, in charge) error {
		_, err := ctx.CompletionTx().Exec(ctx, `SELECT pg_advisory_xact_lock_shared(1)`)
		return err
	})
	RegisterAction(b.reg, others, recordCharge)
	cfg := slow()
	cfg.Connections = 2
	b.work(cfg)
	runs := must[[]Run](t)(hogs.EnqueueMany(t.Context(), b.client, make([]charge, 10), nil))
	b.eventually("all connections are taken", func() bool { return b.count(`SELECT count(*)`+waitingAtLock) == 2 })
	for range 5 {
		b.is(b.wait(b.charge(others)), StateCompleted, "", 1, 0)
	}
	open()
	for _, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
}
