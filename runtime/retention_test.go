package runtime

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/maintenance"
	"github.com/idem-go/idem/runtime/internal/schedule"
)

// Evidence of deduplication outlives the longest replay, or the worker does not start.
func TestRetentionIsChecked(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		keep Retention
		good bool
	}{
		"for ever":          {Retention{}, true},
		"as long":           {Retention{Completed: day, Discarded: day, ReplayWindow: day}, true},
		"longer":            {Retention{Completed: 2 * day, ReplayWindow: day}, true},
		"no window":         {Retention{Completed: 30 * day}, false},
		"completed shorter": {Retention{Completed: day - 1, ReplayWindow: day}, false},
		"discarded shorter": {Retention{Completed: 2 * day, Discarded: day - 1, ReplayWindow: day}, false},
	} {
		_, err := NewWorker(lazyPool(t), registryOf(), Config{Retention: c.keep})
		if c.good != (err == nil) || err != nil && !errors.Is(err, ErrRetention) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewWorker(lazyPool(t), registryOf(), Config{Retention: Retention{Completed: -1}}); err == nil {
		t.Error("a negative time is accepted")
	}
}

// retiring returns the retention of a worker that does nothing else.
func (b *bench) retiring(keep Retention) *maintenance.Retirer {
	b.Helper()
	cfg := slow()
	cfg.Retention = keep
	return b.idle(cfg).retirer
}

// endedLongAgo makes n steps that were enqueued and ended a number of days ago.
func (b *bench) endedLongAgo(state State, days float64, n int) {
	b.Helper()
	b.exec(`INSERT INTO idem.steps (run_id, node, queue, state, max_attempts, input, input_digest, created_at, finished_at)
		SELECT 'run_' || gen_random_uuid(), 'charge', 'default', $1::text, 3, '{}', sha256('x'),
		       now() - $2::float8 * interval '1 day', CASE WHEN $1::text <> 'pending' THEN now() - $2::float8 * interval '1 day' END
		FROM generate_series(1, $3::integer)`, string(state), days, n)
}

// What is removed is what has ended, as long ago as it is to be kept; what is not over stays, however old it is.
func TestF69_RetentionRemovesOnlyWhatIsOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	RegisterAction(b.reg, NewAction[charge]("charge"), recordCharge)
	b.endedLongAgo(StatePending, 100, 3)
	b.endedLongAgo(StateCompleted, 40, 25)
	b.endedLongAgo(StateDiscarded, 40, 5)
	b.endedLongAgo(StateDiscarded, 100, 4)
	b.endedLongAgo(StateCancelled, 100, 2)
	b.endedLongAgo(StateCompleted, 29, 7)
	r := b.retiring(Retention{Completed: 30 * 24 * time.Hour, Discarded: 90 * 24 * time.Hour, ReplayWindow: 24 * time.Hour, Batch: 10})
	left := func(want string) {
		t.Helper()
		var got string
		if err := b.pool.QueryRow(t.Context(), `SELECT string_agg(state || ' ' || n, ', ' ORDER BY state)
			FROM (SELECT state, count(*) AS n FROM idem.steps GROUP BY state) s`).Scan(&got); err != nil || got != want {
			t.Errorf("%s are left (%v), want %s", got, err, want)
		}
	}
	if err := r.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	left("completed 7, discarded 5, pending 3")
	if len(b.events.of(EventRetired)) == 0 {
		t.Error("nobody was told")
	}
	b.exec(`UPDATE idem.steps SET finished_at = finished_at - interval '1 year', created_at = created_at - interval '1 year' WHERE state = 'completed'`)
	if err := r.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	left("discarded 5, pending 3")
}

// A retry that comes while a discarded step is about to be removed wins, or finds nothing: the step is never half there.
func TestF69_RetentionRacesRetry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	RegisterAction(b.reg, NewAction[charge]("charge"), recordCharge)
	r := b.retiring(Retention{Discarded: 24 * time.Hour, ReplayWindow: time.Hour, Batch: 10})
	for range 20 {
		r.Seen.Floor = 0
		b.exec(`DELETE FROM idem.steps`)
		b.endedLongAgo(StateDiscarded, 100, 50)
		ids := b.runIDs()
		var retried int
		var all sync.WaitGroup
		all.Go(func() {
			for _, id := range ids {
				n, err := b.client.Retry(t.Context(), id, "")
				if err != nil {
					t.Error(err)
				}
				retried += n
			}
		})
		all.Go(func() {
			if err := r.Pass(t.Context()); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		if left := b.count(`SELECT count(*) FROM idem.steps WHERE state = 'pending'`); left != retried {
			t.Fatalf("%d steps were retried, and %d are there", retried, left)
		}
	}
}

func (b *bench) runIDs() (ids []string) {
	b.Helper()
	if err := b.pool.QueryRow(b.Context(), `SELECT array_agg(run_id) FROM idem.steps`).Scan(&ids); err != nil {
		b.Fatal(err)
	}
	return ids
}

// A duplicate that comes after the step is gone runs the handler again, under the keys of the first time: the effect is
// still there once.
func TestF69_DuplicateAfterRetention(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge")
	RegisterAction(b.reg, action, recordCharge)
	b.work(slow())
	enqueue := func() Run {
		return must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 1}, WithKey("", "order-1")))
	}
	first := enqueue()
	b.is(b.wait(first), StateCompleted, "", 1, 0)
	b.exec(`UPDATE idem.steps SET finished_at = finished_at - interval '1 year', created_at = created_at - interval '1 year'`)
	if !enqueue().Duplicate {
		t.Error("the evidence is there, and the run is not known")
	}
	if err := b.retiring(Retention{Completed: time.Hour, ReplayWindow: time.Hour}).Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := enqueue()
	if second.Duplicate || second.ID != first.ID {
		t.Errorf("%+v after %+v", second, first)
	}
	b.is(b.wait(second), StateCompleted, "", 1, 0)
	b.effects(first, 1)
}

// A pass that takes long because it removes much is followed by another one soon: only what it spends on old steps that stay
// puts the next one off. Else a table from which much has to be removed would be left alone for longer and longer.
func TestRetentionGoesOnWhereItRemoves(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	RegisterAction(b.reg, NewAction[charge]("charge"), recordCharge)
	r := b.retiring(Retention{Completed: time.Hour, ReplayWindow: time.Hour, Batch: 50})
	pass := func() (took, fruitless time.Duration) {
		t.Helper()
		began := time.Now()
		if err := r.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		return time.Since(began), r.Seen.Fruitless()
	}
	b.endedLongAgo(StateCompleted, 40, 1000)
	if took, fruitless := pass(); fruitless != 0 || b.count(`SELECT count(*) FROM idem.steps`) > 0 {
		t.Errorf("of %v that removed all, %v count as lost", took, fruitless)
	}
	b.endedLongAgo(StateDiscarded, 40, 1000) // these stay for ever
	if took, fruitless := pass(); fruitless < took/2 {
		t.Errorf("of %v that removed nothing, only %v count as lost", took, fruitless)
	}
}

// Workers remove steps by themselves when they are told how long to keep them, many workers at once too.
func TestWorkersRetire(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	RegisterAction(b.reg, NewAction[charge]("charge"), recordCharge)
	b.endedLongAgo(StateCompleted, 40, 500)
	cfg := slow()
	cfg.Retention = Retention{Completed: time.Hour, ReplayWindow: time.Hour, Batch: 7}
	for range 3 {
		b.work(cfg)
	}
	for end := time.Now().Add(time.Minute); b.count(`SELECT count(*) FROM idem.steps`) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("steps are left that are over")
		}
	}
}

// onePlace is for a worker that runs one step at a time, and as long as its handler likes.
func onePlace() Config {
	cfg := slow()
	cfg.Lease, cfg.Heartbeat, cfg.Queues = 2*time.Minute, time.Minute/2, map[string]int{DefaultQueue: 1}
	return cfg
}

// While steps wait for a place, a worker spends less of its time on removing old ones.
func TestRetentionYieldsToWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	release := make(chan struct{})
	action := NewAction[charge]("charge", WithTimeout(time.Minute))
	RegisterAction(b.reg, action, func(Context, charge) error {
		<-release
		return nil
	})
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, make([]charge, 3), nil))
	w := must[*Worker](t)(NewWorker(b.pool, b.reg, onePlace()))
	if w.retirer.Busy() {
		t.Error("it yields before there is work")
	}
	b.run(w)
	b.eventually("it yields", func() bool { return w.retirer.Busy() })
	close(release)
	for _, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
	b.eventually("it does not yield any more", func() bool { return !w.retirer.Busy() })
}

// A worker that has just started does not know yet whether steps wait, and removes nothing until it can.
func TestRetentionWaitsForTheBacklogToShow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	RegisterAction(b.reg, NewAction[charge]("charge"), recordCharge)
	b.endedLongAgo(StateCompleted, 40, 10)
	cfg := slow()
	cfg.Retention = Retention{Completed: time.Hour, ReplayWindow: time.Hour}
	began := time.Now()
	b.work(cfg)
	b.eventually("it removes", func() bool { return len(b.events.of(EventRetired)) > 0 })
	if after := time.Since(began); after < 2*schedule.Burst {
		t.Errorf("it removes after %v", after)
	}
}

// A claim of steps that were handed over by their ids tells nothing about what else waits: a backlog goes on over it, or else
// a sweep twice a second would keep it from ever being one.
func TestBacklogOutlastsSweptSteps(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	started, release := make(chan struct{}), make(chan struct{})
	action := NewAction[charge]("charge", WithTimeout(time.Minute))
	RegisterAction(b.reg, action, func(Context, charge) error {
		started <- struct{}{}
		<-release
		return nil
	})
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, make([]charge, 3), nil))
	w := must[*Worker](t)(NewWorker(b.pool, b.reg, onePlace()))
	q := w.queues[DefaultQueue]
	b.run(w)
	<-started
	began := q.Backlog()
	q.HandOver(1 << 40) // somebody else has it
	release <- struct{}{}
	<-started
	if now := q.Backlog(); !began.There() || now != began {
		t.Errorf("the backlog began at %v, and after a claim of a swept step at %v", began, now)
	}
	close(release)
	<-started
	for _, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
}
