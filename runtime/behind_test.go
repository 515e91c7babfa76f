package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/schedule"
)

// What is due before the cursor is found while the worker is busy with what is behind it: a step whose transaction
// committed late, and one that was taken back.
func TestStragglersAreFound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(10*time.Second))
	RegisterAction(b.reg, action, recordCharge)
	fill(t, b, action, 5000)
	late, err := b.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	straggler := must[Run](t)(action.EnqueueTx(t.Context(), b.client, late, charge{"late", 1}))
	more, stop := make(chan struct{}), make(chan struct{})
	go func() { // keeps the worker busy
		defer close(more)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := action.EnqueueMany(t.Context(), b.client, make([]charge, 200), nil); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	cfg := slow()
	cfg.Queues = map[string]int{DefaultQueue: 20}
	b.work(cfg)
	for b.count(`SELECT count(*) FROM idem.steps WHERE state = 'completed'`) < 3000 {
		time.Sleep(10 * time.Millisecond)
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.is(b.wait(straggler), StateCompleted, "", 1, 0)
	close(stop)
	<-more
}

// The same where looks from the beginning take long: claims do not wait for them.
func TestStragglersAreFoundBesideClaims(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(10*time.Second))
	RegisterAction(b.reg, action, recordCharge)
	w := b.idle(slow())
	q := w.queues[DefaultQueue]
	q.Seen.Wait = -1 // nothing is quick enough
	claimed := func(c schedule.Claim) (ids []int64) {
		t.Helper()
		for _, s := range must[[]*lease.Held](t)(w.claims.Claim(q, c)) {
			ids = append(ids, s.ID)
		}
		return ids
	}
	late := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
	defer func() { _ = late.Rollback(t.Context()) }()
	run := must[Run](t)(action.EnqueueTx(t.Context(), b.client, late, charge{"late", 1}))
	fill(t, b, action, 10)

	q.Seen.Slow = true
	if w.claims.Next(t.Context(), q, 5); q.Seen.Scanning {
		t.Error("it looks behind a cursor that there is not yet")
	}
	first := w.claims.Next(t.Context(), q, 5)
	if !first.Full || len(claimed(first)) != 5 {
		t.Fatal("the first claim does not begin at the beginning")
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id int64
	if err := b.pool.QueryRow(t.Context(), `SELECT id FROM idem.steps WHERE run_id = $1`, run.ID).Scan(&id); err != nil {
		t.Fatal(err)
	}
	for _, near := range []bool{true, false} {
		b.exec(`UPDATE idem.steps SET state = 'pending', epoch = epoch + 1, worker = NULL, lease_expires_at = NULL WHERE id = $1`, id)
		if !near {
			b.exec(`UPDATE idem.steps SET scheduled_at = scheduled_at - interval '1 hour' WHERE id = $1`, id)
		}
		q.Seen.Full.Next, q.Seen.Recent.Next = time.Time{}, time.Time{}
		if near {
			q.Seen.Full.Next = time.Now().Add(time.Hour)
		}
		if c := w.claims.Next(t.Context(), q, 1); c.Full || c.These != nil || len(claimed(c)) != 1 {
			t.Errorf("a claim waits for the look: %+v", c)
		}
		b.eventually("the look is over", func() bool { return q.Scanned() })
		c := w.claims.Next(t.Context(), q, 5)
		if got := claimed(c); !slices.Equal(got, []int64{id}) {
			t.Errorf("near %v: claimed %v, want the straggler %d", near, got, id)
		}
		if got := claimed(c); got != nil {
			t.Errorf("claimed it twice: %v", got)
		}
		if seen := q.Seen; !seen.Slow || seen.Full.Next.IsZero() || near && seen.Recent.Next.IsZero() {
			t.Errorf("the look was not noted: %+v", seen)
		}
	}
}

// A worker goes on by the cursor while the looks from the beginning are slow, and runs what they find.
func TestSlowLooksHoldNothingUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(10*time.Second))
	RegisterAction(b.reg, action, recordCharge)
	cfg := slow()
	cfg.Logger, cfg.PollOnly = slog.New(slog.DiscardHandler), true
	w := must[*Worker](t)(NewWorker(b.pool, b.reg, cfg))
	w.queues[DefaultQueue].Seen.Wait = -1
	b.run(w)
	for range 5 {
		late := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
		straggler := must[Run](t)(action.EnqueueTx(t.Context(), b.client, late, charge{"late", 1}))
		b.is(b.wait(b.charge(action)), StateCompleted, "", 1, 0)
		if err := late.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.is(b.wait(straggler), StateCompleted, "", 1, 0)
	}
}

// While an old snapshot is held open, a claim from the cursor does not pass over what was taken since.
func TestClaimsUnderAHeldSnapshot(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(10*time.Second))
	RegisterAction(b.reg, action, recordCharge)
	b.holdSnapshot()
	const steps = 20_000
	fill(t, b, action, steps)
	w := b.idle(slow())
	q := w.queues[DefaultQueue]
	for taken := 0; taken < steps-200; {
		taken += len(must[[]*lease.Held](t)(w.claims.Claim(q, schedule.Claim{Limit: 500, From: q.Seen.Cursor})))
	}
	all, some := b.pagesOfClaim(`'-infinity', 0`), b.pagesOfClaim(fmt.Sprintf(`'%s', %d`, q.Seen.Cursor.At.Format(time.RFC3339Nano), q.Seen.Cursor.ID))
	if some*10 > all {
		t.Errorf("a claim from the cursor reads %d pages, one from the beginning %d", some, all)
	}
}

// holdSnapshot keeps everything that dies from now on in its place, until the test ends.
func (b *bench) holdSnapshot() {
	b.Helper()
	snapshot := must[pgx.Tx](b)(b.pool.BeginTx(b.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead}))
	b.Cleanup(func() { _ = snapshot.Rollback(context.Background()) })
	if _, err := snapshot.Exec(b.Context(), `SELECT count(*) FROM idem.steps`); err != nil {
		b.Fatal(err)
	}
}

// pagesOfClaim is how many pages a claim reads to find its steps, from a place on.
func (b *bench) pagesOfClaim(from string) int {
	b.Helper()
	return b.pages(`SELECT id FROM idem.steps
		WHERE state = 'pending' AND queue = 'default' AND scheduled_at <= now() AND (scheduled_at, id) >= (` + from + `)
		ORDER BY scheduled_at, id LIMIT 50`)
}

// pages is how many pages a query reads. Time would say the same, less surely.
func (b *bench) pages(sql string) int {
	b.Helper()
	var raw []byte
	var plan []struct {
		Plan struct {
			Pages int `json:"Shared Hit Blocks"`
			Read  int `json:"Shared Read Blocks"`
		}
	}
	if err := b.pool.QueryRow(b.Context(), `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) `+sql).Scan(&raw); err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(raw, &plan); err != nil {
		b.Fatal(err)
	}
	return plan[0].Plan.Pages + plan[0].Plan.Read
}
