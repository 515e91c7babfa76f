package runtime

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/schedule"
)

// TestSweptStepsNeedNoPoll: whoever takes a step back also wakes its queue, and only once the step can be claimed. A
// queue that is woken before the sweep has committed finds nothing, and would wait for the next poll.
func TestSweptStepsNeedNoPoll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(testTimeout))
	RegisterAction(b.reg, action, recordCharge)
	cfg := quick()
	cfg.Sweep, cfg.Poll, cfg.PollOnly = 5*time.Millisecond, time.Hour, true
	b.work(cfg)
	for range 200 {
		run := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 1}, WithDelay(time.Hour)))
		// A worker claimed it, and died long ago.
		b.exec(`UPDATE idem.steps SET state = 'running', epoch = epoch + 1, lease_expires_at = now() - interval '1 s' WHERE run_id = $1`, run.ID)
		b.is(b.wait(run), StateCompleted, "", 1, 1)
	}
}

// A step that is taken back waits for no look at what is before the cursor, which may be rare: whoever took it back claims it
// by its id. What is not his to claim, or has been claimed since, he does not get.
func TestSweptStepsNeedNoLook(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(testTimeout))
	RegisterAction(b.reg, action, recordCharge)
	w := b.idle(slow())
	q := w.queues[DefaultQueue]
	const steps = schedule.ClaimLimit + 20
	fill(t, b, action, steps)
	for taken := 0; taken < steps; {
		taken += len(must[[]*lease.Held](t)(w.claims.Claim(q, schedule.Claim{Limit: schedule.ClaimLimit, From: q.Seen.Cursor})))
	}
	q.Seen.Slow = true
	q.Seen.Full.Next, q.Seen.Recent.Next = time.Now().Add(time.Hour), time.Now().Add(time.Hour)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 second'`)
	b.exec(`UPDATE idem.steps SET node = 'unknown' WHERE id = 2`)
	b.exec(`UPDATE idem.steps SET queue = 'elsewhere' WHERE id = 3`)
	if err := w.sweeper.SweepDue(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	b.exec(`UPDATE idem.steps SET state = 'running', epoch = epoch + 1, lease_expires_at = now() + interval '1 minute' WHERE id = 4`)
	var claimed []int64
	for _, limit := range []int{3, schedule.ClaimLimit, schedule.ClaimLimit} {
		c := w.claims.Next(t.Context(), q, limit)
		if len(c.These) > limit {
			t.Errorf("%d steps are handed over to %d places", len(c.These), limit)
		}
		for _, s := range must[[]*lease.Held](t)(w.claims.Claim(q, c)) {
			claimed = append(claimed, s.ID)
		}
	}
	slices.Sort(claimed)
	if n := len(slices.Compact(claimed)); n != len(claimed) || n < schedule.ClaimLimit-3 {
		t.Errorf("claimed %d steps, %d of them different, of %d that were taken back", len(claimed), n, steps)
	}
	for _, id := range []int64{2, 3, 4} {
		if slices.Contains(claimed, id) {
			t.Errorf("claimed step %d", id)
		}
	}
}

// A step that is taken back keeps its place: it does not wait once more behind everything that was enqueued since.
func TestSweptStepKeepsItsPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var order []string
	action := NewAction[charge]("charge", WithTimeout(testTimeout))
	RegisterAction(b.reg, action, func(_ Context, in charge) error {
		order = append(order, in.User) // one at a time
		return nil
	})
	old := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"old", 1}))
	young := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"young", 1}))
	b.exec(`UPDATE idem.steps SET state = 'running', epoch = epoch + 1, lease_expires_at = now() - interval '1 s' WHERE run_id = $1`, old.ID)
	w := b.idle(slow())
	if n, err := w.sweeper.SweepPage(beginning); n != 1 || err != nil {
		t.Fatalf("swept %d, %v", n, err)
	}
	cfg := slow()
	cfg.Queues = map[string]int{DefaultQueue: 1}
	stop := b.work(cfg)
	b.is(b.wait(young), StateCompleted, "", 1, 0)
	b.is(b.wait(old), StateCompleted, "", 1, 1)
	stop()
	if len(order) != 2 || order[0] != "old" {
		t.Errorf("in the order %v", order)
	}
}

// running is how many steps are leased.
func (b *bench) running() int {
	b.Helper()
	return b.count(`SELECT count(*) FROM idem.steps WHERE state = 'running'`)
}

// Whatever a worker's sweeps begin with: what runs out is taken back, also what was locked when its time came.
func TestSweepsFromTheWatermark(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stepsInBulk(StateRunning, 300)
	RegisterAction(b.reg, NewAction[charge]("charge", WithTimeout(testTimeout)), recordCharge)
	w := b.idle(slow())
	leases := w.sweeper.See
	leases(func(l *schedule.Leases) { l.Keep, l.Budget = time.Hour, time.Minute })
	sweep := func(want int) {
		t.Helper()
		if err := w.sweeper.SweepDue(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if n := b.running(); n != want {
			t.Errorf("%d are running, want %d", n, want)
		}
	}
	sweep(300)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 minute' WHERE id <= 250`)
	leases(func(l *schedule.Leases) { l.Full.Next = time.Now().Add(time.Hour) }) // not from the beginning
	sweep(50)
	tx := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
	defer func() { _ = tx.Rollback(t.Context()) }()
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 minute' WHERE id BETWEEN 251 AND 260`)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '2 hours' WHERE id = 261`)
	if _, err := tx.Exec(t.Context(), `SELECT FROM idem.steps WHERE id = 251 FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	b.exec(`UPDATE idem.steps SET state = 'cancelled', lease_expires_at = NULL, finished_at = now() WHERE state = 'running' AND id > 261`)
	sweep(2) // 251 is locked, 261 is before it
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	sweep(1)
	leases(func(l *schedule.Leases) { l.Full.Next = time.Time{} })
	sweep(0)
}

// While an old snapshot is held open, a sweep does not pass over all leases that there were since.
func TestSweepsUnderAHeldSnapshot(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.holdSnapshot()
	b.exec(`ALTER TABLE idem.steps SET (autovacuum_enabled = false)`)
	b.stepsInBulk(StateRunning, 20_000)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 hour'`)
	b.exec(`UPDATE idem.steps SET state = 'completed', lease_expires_at = NULL, finished_at = now()`)
	pages := func(from time.Time) int {
		at := "-infinity"
		if !from.IsZero() {
			at = from.Format(time.RFC3339Nano)
		}
		return b.pages(`SELECT id FROM idem.steps WHERE state = 'running' AND lease_expires_at >= '` + at + `' AND lease_expires_at < now()
			ORDER BY lease_expires_at, id LIMIT 1`)
	}
	l := schedule.NewLeases(time.Second)
	l.Looked(time.Now())
	if all, some := pages(time.Time{}), pages(l.From()); some*10 > all {
		t.Errorf("a sweep from the watermark reads %d pages, one of all leases %d", some, all)
	}
}

// A look at all leases is cut short where it takes too long, and costs nobody the recovery of what has just run out. It is
// made again, in more time, and finds what ran out long ago.
func TestLooksAtAllLeasesAreCutShort(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.holdSnapshot()
	b.exec(`ALTER TABLE idem.steps SET (autovacuum_enabled = false)`)
	b.stepsInBulk(StateRunning, 50_000)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '2 days'`)
	b.exec(`UPDATE idem.steps SET state = 'completed', lease_expires_at = NULL, finished_at = now() WHERE id > 2`)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 second' WHERE id = 1`)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 day' WHERE id = 2`)
	RegisterAction(b.reg, NewAction[charge]("charge", WithTimeout(testTimeout)), recordCharge)
	w := b.idle(slow())
	seen := func() (l schedule.Leases) {
		w.sweeper.See(func(now *schedule.Leases) { l = *now })
		return l
	}
	w.sweeper.See(func(l *schedule.Leases) { l.Budget = time.Millisecond })
	sweep := func() {
		t.Helper()
		if err := w.sweeper.SweepDue(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	sweep()
	if n := b.running(); n != 1 || seen().Budget != 2*time.Millisecond || !seen().Fully.IsZero() {
		t.Errorf("%d are running after a look that was cut short, and the next one may take %v", n, seen().Budget)
	}
	if rest := seen().Full.Next.Sub(began); rest < 29*time.Millisecond {
		t.Errorf("the next look comes after %v", rest)
	}
	for seen().Fully.IsZero() {
		w.sweeper.See(func(l *schedule.Leases) { l.Full.Next = time.Time{} })
		sweep()
	}
	if n := b.running(); n != 0 {
		t.Errorf("%d are running after a look at all leases", n)
	}
}

// The polls of a worker find leases that have run out, however rarely it sweeps.
func TestPollsFindExpiredLeases(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(testTimeout))
	RegisterAction(b.reg, action, recordCharge)
	cfg := slow()
	cfg.Sweep, cfg.Poll, cfg.PollOnly = time.Hour, 20*time.Millisecond, true
	cfg.Logger = slog.New(slog.DiscardHandler)
	w := must[*Worker](t)(NewWorker(b.pool, b.reg, cfg))
	w.queues[DefaultQueue].Seen.Wait = time.Hour // where looks take long, sweeps are what finds them
	b.run(w)
	for range 20 {
		run := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 1}, WithDelay(time.Hour)))
		b.exec(`UPDATE idem.steps SET state = 'running', epoch = epoch + 1, lease_expires_at = now() - interval '1 s' WHERE run_id = $1`, run.ID)
		b.is(b.wait(run), StateCompleted, "", 1, 1)
	}
}
