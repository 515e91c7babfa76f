package runtime

import (
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
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
	w, err := NewWorker(b.pool, b.reg, slow())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.lasting = t.Context()
	if n, err := w.sweepOnce(beginning); n != 1 || err != nil {
		t.Fatalf("swept %d, %v", n, err)
	}
	w.closePools()
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

// Sweeps of all leases take a thirtieth of the time at most, however long they are, and always come again.
func TestHorizonShare(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := horizon{keep: time.Second}
	if at, whole := h.from(now); !whole || at != beginning {
		t.Error("the first sweep does not begin at the beginning")
	}
	h.swept, h.next = now, now.Add(time.Minute)
	if at, whole := h.from(now.Add(time.Minute - 1)); whole || !at.Time.Equal(now.Add(-time.Second)) {
		t.Errorf("it begins at %v", at)
	}
	if _, whole := h.from(now.Add(time.Minute)); !whole {
		t.Error("the beginning is not looked at again")
	}
}

// Whatever a worker's sweeps begin with: what runs out is taken back, also what was locked when its time came.
func TestSweepsFromTheHorizon(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stepsInBulk(StateRunning, 300)
	RegisterAction(b.reg, NewAction[charge]("charge", WithTimeout(testTimeout)), recordCharge)
	cfg := slow()
	cfg.Logger = slog.New(slog.DiscardHandler)
	w := must[*Worker](t)(NewWorker(b.pool, b.reg, cfg))
	if err := w.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer w.closePools()
	w.lasting = t.Context()
	running := func() int { return b.count(`SELECT count(*) FROM idem.steps WHERE state = 'running'`) }
	h := horizon{keep: time.Hour}
	sweep := func(want int) {
		t.Helper()
		if err := w.sweepFrom(t.Context(), &h); err != nil {
			t.Fatal(err)
		}
		if n := running(); n != want {
			t.Errorf("%d are running, want %d", n, want)
		}
	}
	sweep(300)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 minute' WHERE id <= 250`)
	h.next = time.Now().Add(time.Hour) // not from the beginning
	sweep(50)
	tx := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
	defer func() { _ = tx.Rollback(t.Context()) }()
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 minute' WHERE id BETWEEN 251 AND 260`)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '2 hours' WHERE id = 261`)
	if _, err := tx.Exec(t.Context(), `SELECT FROM idem.steps WHERE id = 251 FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	b.exec(`UPDATE idem.steps SET state = 'cancelled', lease_expires_at = NULL, finished_at = now() WHERE state = 'running' AND id > 261`)
	sweep(2) // 251 is locked, 261 is below the horizon
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	sweep(1)
	h.next = time.Time{}
	sweep(0)
}

// While an old snapshot is held open, a sweep does not pass over all leases that there were since.
func TestSweepsUnderAHeldSnapshot(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	snapshot := must[pgx.Tx](t)(b.pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead}))
	defer func() { _ = snapshot.Rollback(t.Context()) }()
	if _, err := snapshot.Exec(t.Context(), `SELECT count(*) FROM idem.steps`); err != nil {
		t.Fatal(err)
	}
	b.exec(`ALTER TABLE idem.steps SET (autovacuum_enabled = false)`)
	b.stepsInBulk(StateRunning, 20_000)
	b.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 hour'`)
	b.exec(`UPDATE idem.steps SET state = 'completed', lease_expires_at = NULL, finished_at = now()`)
	pages := func(from pgtype.Timestamptz) int {
		at := "-infinity"
		if from != beginning {
			at = from.Time.Format(time.RFC3339Nano)
		}
		return b.pages(`SELECT id FROM idem.steps WHERE state = 'running' AND lease_expires_at >= '` + at + `' AND lease_expires_at < now()
			ORDER BY lease_expires_at, id LIMIT 1`)
	}
	h := horizon{keep: time.Second, swept: time.Now(), looks: looks{next: time.Now().Add(time.Hour)}}
	from, _ := h.from(time.Now())
	if all, some := pages(beginning), pages(from); some*10 > all {
		t.Errorf("a sweep from the horizon reads %d pages, one of all leases %d", some, all)
	}
}
