package runtime

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/claim"
	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/internal/schedule"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

// overtaken runs a step on one worker until its handler has written, takes its lease away, and lets a second
// worker complete it. late is the first one's handler: it is told once that has happened.
func overtaken(t *testing.T, b *bench, way string, late func(Context) error) (run Run, first *recorder) {
	var runs atomic.Int32
	wrote, overtaken := make(chan struct{}), make(chan struct{})
	action := NewAction[charge](way)
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if err := noteRun(ctx, b.pool); err != nil {
			return err
		}
		if runs.Add(1) > 1 {
			return writeCharge(ctx, way, in)
		}
		if way == direct {
			// A row of its own: at those of the ledger the second worker would wait for this transaction.
			if _, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO accounts VALUES ('zombie', 1)`); err != nil {
				return err
			}
		}
		if err := writeCharge(ctx, recorded, in); err != nil {
			return err
		}
		close(wrote)
		<-overtaken
		return late(ctx)
	})
	first = &recorder{}
	cfg := slow()
	cfg.Observer, cfg.Queues, cfg.Sweep = first, map[string]int{DefaultQueue: 1}, time.Minute
	b.work(cfg)
	run = b.charge(action)
	<-wrote
	b.expire(run)
	b.work(slow())
	b.is(b.wait(run), StateCompleted, "", 1, 1)
	close(overtaken)
	b.eventually("the first worker loses its lease", func() bool { return len(first.of(EventLeaseLost)) == 1 })
	return run, first
}

func TestF10_LeaseExpiresUnderRunningHandler(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		run, first := overtaken(t, b, way, func(Context) error { return nil })
		b.is(b.now(run), StateCompleted, "", 1, 1)
		b.written(run, way, 1)
		b.ran(run, 2)
		if n := b.count(`SELECT count(*) FROM accounts WHERE user_id = 'zombie'`); n != 0 {
			t.Errorf("%d rows of the overtaken execution are committed", n)
		}
		if n := len(first.of(EventCompleted)); n != 0 {
			t.Errorf("the overtaken worker reported %d completions", n)
		}
	})
}

// The overtaken execution fails: that is no attempt of the step, which is somebody else's by now.
func TestF10_OvertakenHandlerFails(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		run, _ := overtaken(t, b, way, func(Context) error { return Permanent(errors.New("too late to matter")) })
		b.is(b.now(run), StateCompleted, "", 1, 1)
		b.written(run, way, 1)
	})
}

// F39: the follow-up of the overtaken execution is not enqueued; [bench.written] counts them. Here the two
// executions disagree about it.
func TestF39_FollowUpOfALoserIsNotEnqueued(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		other := NewAction[charge]("loser_only")
		run, _ := overtaken(t, b, way, func(ctx Context) error {
			_, err := EnqueueActionCompletion(ctx, other, charge{"ann", 1})
			return err
		})
		b.written(run, way, 1)
		if n := b.count(`SELECT count(*) FROM idem.steps WHERE node = 'loser_only'`); n != 0 {
			t.Errorf("%d follow-ups of the overtaken execution, want none", n)
		}
	})
}

// A stopped process holds its transaction open beyond its lease. The step can be taken over nevertheless, and
// the server ends the transaction whose locks are in the way.
func TestF11_StoppedProcessComesBack(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		run := b.charge(NewAction[charge](way))
		c := b.spawn(way, probe.CompleteBeforeFence, childLease+"=short")
		c.await("at ")
		c.signal(syscall.SIGSTOP)
		RegisterAction(b.reg, NewAction[charge](way), charger(way, b.pool))
		b.work(slow())
		b.is(b.wait(run), StateCompleted, "", 1, 1)
		c.signal(syscall.SIGCONT)
		c.proceed()
		c.await("event " + string(EventLeaseLost))
		b.is(b.now(run), StateCompleted, "", 1, 1)
		b.written(run, way, 1)
		b.ran(run, 2)
	})
}

// lockedStep holds the row of a step in a transaction of the test's own.
func (b *bench) lockedStep(run Run) pgx.Tx {
	b.Helper()
	tx := must[pgx.Tx](b)(b.pool.Begin(context.Background()))
	b.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	if _, err := tx.Exec(context.Background(), `SELECT FROM idem.steps WHERE run_id = $1 AND node = $2 FOR UPDATE`, run.ID, run.Node); err != nil {
		b.Fatal(err)
	}
	return tx
}

// beginning is before every time.
var beginning = store.From(time.Time{})

// idle makes a worker for its methods alone: it claims and sweeps when the test says so.
func (b *bench) idle(cfg Config) *Worker {
	b.Helper()
	cfg.Observer, cfg.Logger = b.events, slog.New(slog.DiscardHandler)
	w := must[*Worker](b)(NewWorker(b.pool, b.reg, cfg))
	w.host.Lasting, w.host.Steps = context.Background(), context.Background()
	if err := w.connect(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.host.Close)
	return w
}

// claimed lets w claim the run's step.
func (b *bench) claimed(w *Worker, run Run) *lease.Held {
	b.Helper()
	steps := must[[]*lease.Held](b)(w.claims.Claim(w.queues[DefaultQueue], schedule.Claim{Limit: 10, Full: true}))
	if len(steps) != 1 || steps[0].RunID != run.ID {
		b.Fatalf("claimed %d steps, want the one of run %s", len(steps), run.ID)
	}
	return steps[0]
}

// The worker completes between the sweep's look at the expired lease and its update: the row is locked or
// already changed, and the sweep passes it over.
func TestF12_CompletionRacesTheSweep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("raced")
	RegisterAction(b.reg, action, recordCharge)
	w := b.idle(slow())
	run := b.charge(action)
	b.claimed(w, run)
	b.expire(run)
	tx := b.lockedStep(run)
	if _, err := tx.Exec(t.Context(), `UPDATE idem.steps SET state = 'completed', epoch = epoch + 1, lease_expires_at = NULL, finished_at = now()`); err != nil {
		t.Fatal(err)
	}
	if n := must[int](t)(w.sweeper.SweepPage(beginning)); n != 0 {
		t.Errorf("the sweep took %d steps that were being completed", n)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := must[int](t)(w.sweeper.SweepPage(beginning)); n != 0 {
		t.Errorf("the sweep took %d completed steps", n)
	}
	b.is(b.now(run), StateCompleted, "", 1, 0)
}

func TestF13_HeartbeatAfterReclaim(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("late_heartbeat")
	RegisterAction(b.reg, action, recordCharge)
	w := b.idle(slow())
	run := b.charge(action)
	old := b.claimed(w, run)
	w.held.Hold(old)
	w.host.Steps = context.Background()
	ex := step.New(w.host, &old.Step)
	if err := old.Enter(ex); err != nil {
		t.Fatal(err)
	}
	b.expire(run)
	if n := must[int](t)(w.sweeper.SweepPage(beginning)); n != 1 {
		t.Fatalf("swept %d steps, want 1", n)
	}
	other := b.idle(slow())
	owner := b.claimed(other, run)
	state := func() (s string) {
		if err := b.pool.QueryRow(t.Context(), `SELECT epoch || ' ' || worker || ' ' || lease_expires_at FROM idem.steps`).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := state()
	if err := w.held.Renew(t.Context(), w.cfg.Lease); err != nil {
		t.Fatal(err)
	}
	if after := state(); before != after {
		t.Errorf("the late heartbeat changed the step from %s to %s", before, after)
	}
	if owner.Epoch <= old.Epoch {
		t.Errorf("the new owner's epoch is %d, the old one's %d", owner.Epoch, old.Epoch)
	}
	if cause := context.Cause(ex); !errors.Is(cause, ErrLeaseLost) {
		t.Errorf("the old execution's context ended with %v, want ErrLeaseLost", cause)
	}
	if err := recordCharge(handlerContext{ex}, charge{"ann", 1}); !errors.Is(err, ErrAttemptEnded) || !errors.Is(err, ErrLeaseLost) {
		t.Errorf("a late record gives %v, want ErrAttemptEnded because of ErrLeaseLost", err)
	}
}

func TestHeartbeatRenewsLeases(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cfg := slow()
	cfg.Heartbeat = 50 * time.Millisecond
	renewed := make(chan struct{})
	action := NewAction[charge]("long")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		<-renewed
		return recordCharge(ctx, in)
	})
	run := b.charge(action)
	b.work(cfg)
	left := func() int {
		return b.count(`SELECT COALESCE(max(extract(epoch FROM lease_expires_at - clock_timestamp())::bigint), 0) FROM idem.steps WHERE state = 'running'`)
	}
	b.eventually("it runs", func() bool { return left() > 0 })
	b.exec(`UPDATE idem.steps SET lease_expires_at = clock_timestamp() + interval '5 seconds' WHERE state = 'running'`)
	b.eventually("the lease is renewed", func() bool { return left() > 30 })
	close(renewed)
	b.is(b.wait(run), StateCompleted, "", 1, 0)
}

// Both workers want the step: one claim, one run.
func TestF14_TwoWorkersOneStep(t *testing.T) {
	bothWays(t, func(t *testing.T, b *bench, way string) {
		action := NewAction[charge](way)
		RegisterAction(b.reg, action, charger(way, b.pool))
		for range 4 {
			b.work(slow())
		}
		run := b.charge(action)
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		b.written(run, way, 1)
		b.ran(run, 1)
	})
}

// Many claims at the same moment share the steps out, each to one.
func TestF14_ConcurrentClaimsAreDisjoint(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("shared")
	RegisterAction(b.reg, action, recordCharge)
	ins := make([]charge, 200)
	must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, ins, nil))
	w := b.idle(slow())
	var mu sync.Mutex
	claims := map[int64]int{}
	var claimers sync.WaitGroup
	for range 5 {
		claimers.Go(func() {
			q := claim.NewQueue(DefaultQueue, 100, w.queues[DefaultQueue].Nodes) // as each worker has its own
			for range 10 {
				steps, err := w.claims.Claim(q, schedule.Claim{Limit: 7, Full: true})
				if err != nil {
					t.Error(err)
				}
				if len(steps) > 7 {
					t.Errorf("claimed %d steps, want at most 7", len(steps))
				}
				mu.Lock()
				for _, s := range steps {
					claims[s.ID]++
				}
				mu.Unlock()
			}
		})
	}
	claimers.Wait()
	for id, n := range claims {
		if n != 1 {
			t.Errorf("step %d was claimed %d times", id, n)
		}
	}
	if len(claims) != b.count(`SELECT count(*) FROM idem.steps WHERE state = 'running'`) {
		t.Errorf("%d steps were claimed, but not as many are running", len(claims))
	}
}

func TestF15_TwoSweepersReclaimOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("swept")
	RegisterAction(b.reg, action, recordCharge)
	w := b.idle(slow())
	must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, make([]charge, 150), nil))
	if got := must[[]*lease.Held](t)(w.claims.Claim(w.queues[DefaultQueue], schedule.Claim{Limit: 200, Full: true})); len(got) != 150 {
		t.Fatalf("claimed %d", len(got))
	}
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 second'`)
	var sweepers sync.WaitGroup
	for range 4 {
		sweepers.Go(func() {
			if err := w.sweeper.Sweep(beginning); err != nil {
				t.Error(err)
			}
		})
	}
	sweepers.Wait()
	if err := w.sweeper.Sweep(beginning); err != nil { // what others had locked
		t.Error(err)
	}
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE state = 'pending' AND reclaims = 1 AND attempt = 1`); n != 150 {
		t.Errorf("%d steps were reclaimed once, want 150", n)
	}
	if n := len(b.events.of(EventReclaimed)); n != 150 {
		t.Errorf("%d reclaims were reported, want 150", n)
	}
}

// A step that cannot be swept at the moment does not hide those behind it.
func TestSweepPassesOverLockedSteps(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("swept")
	RegisterAction(b.reg, action, recordCharge)
	w := b.idle(slow())
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, make([]charge, 120), nil))
	must[[]*lease.Held](t)(w.claims.Claim(w.queues[DefaultQueue], schedule.Claim{Limit: 200, Full: true}))
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 second'`)
	tx := b.lockedStep(runs[0])
	if err := w.sweeper.Sweep(beginning); err != nil {
		t.Fatal(err)
	}
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE state = 'pending'`); n != 119 {
		t.Errorf("%d steps were swept, want all but the locked one", n)
	}
	_ = tx.Rollback(t.Context())
}

// Whatever plan the server chooses, also with no statistics, a claim takes no more than it was told to.
func TestF36_ClaimKeepsItsLimitOnEveryPlan(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("planned")
	RegisterAction(b.reg, action, recordCharge)
	must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, make([]charge, 300), nil))
	plans := []map[string]string{
		{},
		{"enable_indexscan": "off", "enable_bitmapscan": "off"},
		{"enable_seqscan": "off"},
		{"enable_hashjoin": "off", "enable_mergejoin": "off"},
		{"enable_nestloop": "off", "enable_material": "off"},
		{"plan_cache_mode": "force_generic_plan"},
		{"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_sort": "off"},
	}
	for _, settings := range plans {
		cfg := b.pool.Config()
		for name, value := range settings {
			cfg.ConnConfig.RuntimeParams[name] = value
		}
		pool := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
		w := must[*Worker](t)(NewWorker(pool, b.reg, slow()))
		w.host.Control, w.host.Lasting = pool, t.Context()
		for range 7 { // the sixth execution may use a generic plan
			if steps := must[[]*lease.Held](t)(w.claims.Claim(w.queues[DefaultQueue], schedule.Claim{Limit: 3, Full: true})); len(steps) != 3 {
				t.Errorf("with %v: claimed %d, want 3", settings, len(steps))
			}
		}
		pool.Close()
	}
	if n := b.count(`SELECT count(*) FROM idem.steps WHERE state = 'running'`); n != 3*7*len(plans) {
		t.Errorf("%d steps are running, want %d", n, 3*7*len(plans))
	}
}

// F34: what a worker sends has no time of its own clock in it, so its clock can decide nothing. Where it was told a time by
// the database, that a step was scheduled at, it may tell it again.
func TestF34_NoWorkersClockInTheDatabase(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	traced := &argTracer{}
	cfg := b.pool.Config()
	cfg.ConnConfig.Tracer = traced
	pool := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
	t.Cleanup(pool.Close)
	b.client = NewClient(pool)
	var runs atomic.Int32
	action := NewAction[charge]("timed", WithBackoff(time.Millisecond))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if runs.Add(1) == 1 {
			return errors.New("once")
		}
		return writeCharge(ctx, direct, in)
	})
	worker := slow()
	worker.Heartbeat = 20 * time.Millisecond
	b.workOn(pool, worker)
	scheduled := func(db interface {
		QueryRow(context.Context, string, ...any) pgx.Row
	}, run Run) (at time.Time) {
		if err := db.QueryRow(t.Context(), `SELECT scheduled_at FROM idem.steps WHERE run_id = $1`, run.ID).Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	tx := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
	run := must[Run](t)(action.EnqueueTx(t.Context(), b.client, tx, charge{"ann", 1}, WithDelay(50*time.Millisecond)))
	first := scheduled(tx, run)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.is(b.wait(run), StateCompleted, "", 2, 0)
	again := scheduled(b.pool, run)
	if n := traced.queries.Load(); n < 5 {
		t.Fatalf("only %d statements were seen", n)
	}
	for _, g := range traced.times() {
		if !g.at.Equal(first) && !g.at.Equal(again) {
			t.Errorf("this statement was given the time %v: %s", g.at, g.sql)
		}
	}
}

// given is a time that a statement was given.
type given struct {
	sql string
	at  time.Time
}

// argTracer remembers the times that statements were given.
type argTracer struct {
	queries atomic.Int32
	mu      sync.Mutex
	timed   []given
}

func (a *argTracer) times() []given {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.timed)
}

func (a *argTracer) note(sql string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timed = append(a.timed, given{sql, at})
}

func (a *argTracer) look(sql string, args []any) {
	a.queries.Add(1)
	for _, arg := range args {
		switch arg := arg.(type) {
		case time.Time:
			a.note(sql, arg)
		case *time.Time:
			if arg != nil {
				a.note(sql, *arg)
			}
		}
	}
}

func (a *argTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	a.look(d.SQL, d.Args)
	return ctx
}
func (a *argTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (a *argTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}
func (a *argTracer) TraceBatchQuery(_ context.Context, _ *pgx.Conn, d pgx.TraceBatchQueryData) {
	a.look(d.SQL, d.Args)
}
func (a *argTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
