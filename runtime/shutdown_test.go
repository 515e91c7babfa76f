package runtime

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/internal/wire"
	"github.com/idem-go/idem/runtime/pgtest"
)

// stopsWithin checks that a worker stops in bounded time.
func stopsWithin(t *testing.T, limit time.Duration, stop func()) {
	t.Helper()
	before := time.Now()
	stop()
	if took := time.Since(before); took > limit {
		t.Errorf("the worker took %v to stop, want at most %v", took, limit)
	}
}

// impatient is a worker that gives its handlers little time when it stops.
func impatient() Config {
	cfg := slow()
	cfg.Shutdown, cfg.Grace = 200*time.Millisecond, 200*time.Millisecond
	return cfg
}

// F30: told to stop between the write and the commit, the worker hands the step back as it was, and another
// one completes it.
func TestF30_ShutdownHandsStepsBack(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		wrote := make(chan struct{}, 1)
		action := NewAction[charge](way)
		handle := func(ctx Context, in charge) error {
			if err := errors.Join(noteRun(ctx, b.pool), writeCharge(ctx, way, in)); err != nil {
				return err
			}
			wrote <- struct{}{}
			<-ctx.Done()
			if cause := context.Cause(ctx); !errors.Is(cause, ErrShutdown) {
				t.Errorf("the context ended because of %v, want ErrShutdown", cause)
			}
			return ctx.Err()
		}
		RegisterAction(b.reg, action, handle)
		stop := b.work(impatient())
		run := b.charge(action)
		<-wrote
		stopsWithin(t, 5*time.Second, stop)
		b.is(b.now(run), StatePending, ReasonShutdown, 1, 0)
		b.written(run, way, 0)
		for _, kind := range []EventKind{EventRetried, EventStuck, EventLeaseLost} {
			if n := len(b.events.of(kind)); n != 0 {
				t.Errorf("%d %s events", n, kind)
			}
		}
		b.reg = NewRegistry()
		RegisterAction(b.reg, action, charger(way, b.pool))
		b.work(slow())
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		b.written(run, way, 1)
		b.ran(run, 2)
	})
}

// Within its time a handler may finish, and its step completes.
func TestShutdownLetsHandlersFinish(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		started, goOn := make(chan struct{}), make(chan struct{})
		action := NewAction[charge](way)
		RegisterAction(b.reg, action, func(ctx Context, in charge) error {
			close(started)
			<-goOn
			return writeCharge(ctx, way, in)
		})
		cfg := slow()
		cfg.Shutdown = time.Minute
		stop := b.work(cfg)
		run := b.charge(action)
		<-started
		go func() {
			time.Sleep(50 * time.Millisecond)
			close(goOn)
		}()
		stop()
		b.is(b.now(run), StateCompleted, "", 1, 0)
		b.written(run, way, 1)
	})
}

// Handlers that ignore their context are left behind: their steps are handed back, and what they write later
// is refused.
func TestShutdownLeavesStuckHandlersBehind(t *testing.T) {
	for name, hang := range map[string]func(ctx Context, free chan struct{}){
		"idle": func(_ Context, free chan struct{}) { <-free },
		"failed": func(ctx Context, free chan struct{}) {
			_, _ = ctx.CompletionTx().Exec(context.Background(), `SELECT pg_sleep(600)`)
			<-free
		},
		"open row": func(ctx Context, free chan struct{}) {
			_, _ = ctx.CompletionTx().Query(context.Background(), `SELECT pg_sleep(600)`)
			<-free
		},
		"open rows": func(ctx Context, free chan struct{}) {
			rows, err := ctx.CompletionTx().Query(context.Background(), `SELECT generate_series(1, 1000000)`)
			if err == nil {
				rows.Next()
			}
			<-free
		},
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, b *bench, way string) {
				wrote, free, late := make(chan struct{}), make(chan struct{}), make(chan map[string]error, 1)
				action := NewAction[charge](way)
				RegisterAction(b.reg, action, func(ctx Context, in charge) error {
					if err := writeCharge(ctx, way, in); err != nil {
						return err
					}
					close(wrote)
					hang(ctx, free)
					late <- lateWrites(ctx)
					return nil
				})
				stop := b.work(impatient())
				run := b.charge(action)
				<-wrote
				stopsWithin(t, 10*time.Second, stop)
				b.is(b.now(run), StatePending, ReasonShutdown, 1, 0)
				close(free)
				for call, err := range <-late {
					if !errors.Is(err, ErrAttemptEnded) {
						t.Errorf("late %s gives %v, want ErrAttemptEnded", call, err)
					}
				}
				b.written(run, way, 0)
			})
		})
	}
}

// Steps that are finished, and wait for their commit, are committed before the worker ends.
func TestShutdownCommitsWhatIsFinished(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 100
	action := NewAction[charge]("finishing")
	RegisterAction(b.reg, action, recordCharge)
	must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
	stop := b.work(slow())
	b.saw(EventStarted, 1)
	stop()
	if held := b.count(`SELECT count(*) FROM idem.steps WHERE state = 'running'`); held != 0 {
		t.Errorf("%d steps are still leased after the stop", held)
	}
	if done, rows := b.count(`SELECT count(*) FROM idem.steps WHERE state = 'completed'`), b.count(`SELECT count(*) FROM ledger`); done != rows || done == 0 {
		t.Errorf("%d steps completed, %d rows", done, rows)
	}
}

// With the database gone a stop takes its times and the lease, and no longer.
func TestShutdownWhileTheDatabaseIsDown(t *testing.T) {
	for name, breakIt := range map[string]func(*wire.Proxy){
		"refused":    func(p *wire.Proxy) { p.Refuse(); p.Disconnect() },
		"black hole": func(p *wire.Proxy) { p.PauseRequests() },
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, b *bench, way string) {
				limit := 10 * time.Second
				if name == "black hole" {
					if testing.Short() || way == recorded {
						t.Skip("pgx takes 15 seconds to give a silent connection up")
					}
					limit = 30 * time.Second
				}
				pool, proxy := b.proxied()
				action := NewAction[charge](way, WithTimeout(testTimeout))
				started, down := make(chan struct{}), make(chan struct{})
				RegisterAction(b.reg, action, func(ctx Context, in charge) error {
					err := writeCharge(ctx, way, in)
					close(started)
					<-down
					return err
				})
				cfg := quick()
				cfg.Shutdown, cfg.Grace = 200*time.Millisecond, 200*time.Millisecond
				stop, _ := b.workOn(pool, cfg)
				run := b.charge(action)
				<-started
				breakIt(proxy)
				close(down)
				stopsWithin(t, limit, stop)
				proxy.Close()
				b.reg = NewRegistry()
				RegisterAction(b.reg, action, charger(way, b.pool))
				b.work(slow())
				if end := b.wait(run); end.State != StateCompleted || end.Attempt != 1 {
					t.Errorf("%+v", end)
				}
				b.written(run, way, 1)
			})
		})
	}
}

// A worker that is told to stop claims no more.
func TestDrainingWorkerDoesNotClaim(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("drained")
	started, goOn := make(chan struct{}), make(chan struct{})
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		close(started)
		<-goOn
		return recordCharge(ctx, in)
	})
	cfg := slow()
	cfg.Shutdown = time.Minute
	stop, w := b.workOn(b.pool, cfg)
	first := b.charge(action)
	<-started
	listeners := func() int {
		return b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	}
	b.eventually("the worker listens", func() bool { return listeners() == 1 }) // it may claim a step before that
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	b.eventually("the worker listens no more", func() bool { return listeners() == 0 })
	w.claiming.Wait() // a claim that was under way may take a step yet
	second := b.charge(action)
	close(goOn)
	<-stopped
	b.is(b.now(first), StateCompleted, "", 1, 0)
	b.is(b.now(second), StatePending, "", 1, 0)
}

// A worker that was told to stop between two claims does not make the next one.
func TestStoppedWorkerDoesNotClaim(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("stopped")
	RegisterAction(b.reg, action, recordCharge)
	w := b.idle(slow())
	q := w.queues[DefaultQueue]
	run := b.charge(action)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	w.claims.Run(stopped, q)
	b.is(b.now(run), StatePending, "", 1, 0)
	if free := q.Take(t.Context(), 1<<20); free != w.cfg.Queues[DefaultQueue] {
		t.Errorf("%d of %d places are free", free, w.cfg.Queues[DefaultQueue])
	}
}

func TestWorkerRunsOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	RegisterAction(b.reg, NewAction[charge]("once"), recordCharge)
	stop, w := b.workOn(b.pool, slow())
	stop()
	if err := w.Run(t.Context()); err == nil {
		t.Error("it ran twice")
	}
}

func TestWorkerNeedsItsSchema(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	reg := NewRegistry()
	RegisterAction(reg, NewAction[charge]("x"), recordCharge)
	w := must[*Worker](t)(NewWorker(pool, reg, slow()))
	if err := w.Run(t.Context()); !errors.Is(err, ErrSchemaVersion) {
		t.Errorf("without tables: %v, want ErrSchemaVersion", err)
	}
	if err := NewClient(pool).Verify(t.Context()); !errors.Is(err, ErrSchemaVersion) {
		t.Errorf("client without tables: %v, want ErrSchemaVersion", err)
	}
	b := newBench(t)
	if err := b.client.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	b.exec(`CREATE OR REPLACE FUNCTION idem.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 0'`)
	if err := b.client.Verify(t.Context()); !errors.Is(err, ErrSchemaVersion) {
		t.Errorf("with old tables: %v, want ErrSchemaVersion", err)
	}
}

// A role that owns nothing, and may only use the tables, is enough for workers and clients.
func TestWorkerNeedsNoDDLRights(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	role := "worker_" + b.pool.Config().ConnConfig.Database
	b.exec(`CREATE ROLE ` + role + ` LOGIN`)
	b.exec(`GRANT USAGE ON SCHEMA idem TO ` + role + `; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA idem, public TO ` + role)
	t.Cleanup(func() { b.exec(`DROP OWNED BY ` + role + `; DROP ROLE ` + role) })
	cfg := b.pool.Config()
	cfg.AfterConnect = asRole(role)
	pool := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
	t.Cleanup(pool.Close)
	action := NewAction[charge]("modest")
	RegisterAction(b.reg, action, charger(direct, pool))
	b.client = NewClient(pool)
	stop, _ := b.workOn(pool, slow())
	run := b.charge(action)
	b.is(b.wait(run), StateCompleted, "", 1, 0)
	b.written(run, direct, 1)
	stop()
}

// A stop that comes while a step is between claim and handler hands it back too.
func TestShutdownBetweenClaimAndHandler(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("claimed")
	RegisterAction(b.reg, action, recordCharge)
	run := b.charge(action)
	at, goOn := make(chan struct{}), make(chan struct{})
	b.at(probe.HandlerStart, run, func() { close(at); <-goOn })
	cfg := impatient()
	stop := b.work(cfg)
	<-at
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	<-stopped // the handler does not even begin in time
	close(goOn)
	b.is(b.now(run), StatePending, ReasonShutdown, 1, 0)
	b.effects(run, 0)
}

// asRole makes every connection act as role.
func asRole(role string) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SET ROLE `+role)
		return err
	}
}
