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
)

// Claims from the beginning take a thirtieth of the time at most, however long they are, and always come again.
func TestFrontierShare(t *testing.T) {
	t.Parallel()
	f := frontier{wait: time.Minute}
	now := time.Now()
	if !f.whole(now) {
		t.Error("the first claim does not begin at the beginning")
	}
	f.advance(now, 7)
	for _, cost := range []time.Duration{0, time.Microsecond, 3 * time.Millisecond, 20 * time.Second} {
		for range 10 { // until it is believed
			now = now.Add(cost)
			f.took(now.Add(-cost), now)
		}
		if cost > 0 && f.whole(now.Add(wholeShare*cost-1)) {
			t.Errorf("after claims of %v the next one comes before %v", cost, wholeShare*cost)
		}
		if now = now.Add(wholeShare * cost); !f.whole(now) {
			t.Errorf("after claims of %v the next one is not due in %v", cost, wholeShare*cost)
		}
	}
}

// Looks from a little before the frontier come twice a second at most.
func TestNearLooksShare(t *testing.T) {
	t.Parallel()
	var f frontier
	now := time.Now()
	f.tookNear(now, now.Add(time.Millisecond))
	if f.near.due(now.Add(nearEvery-1)) || !f.near.due(now.Add(nearEvery)) {
		t.Errorf("after a short look the next one is due after %v", f.near.next.Sub(now))
	}
	for range 10 {
		f.tookNear(now, now.Add(time.Second))
	}
	if after := f.near.next.Sub(now); after != (1+wholeShare)*time.Second {
		t.Errorf("after long looks the next one is due after %v", after)
	}
}

// One look that took long, because the machine or the database stood still, does not put the next one off by as much: only
// where they go on taking long, they come rarely.
func TestOneSlowLookIsNotBelieved(t *testing.T) {
	t.Parallel()
	var l looks
	now := time.Now()
	pause := func(cost time.Duration) time.Duration {
		l.took(now.Add(-cost), now)
		return l.next.Sub(now)
	}
	if p := pause(time.Second); p != wholeShare*time.Second {
		t.Errorf("after a slow look that is the first the next one is due in %v", p)
	}
	pause(time.Millisecond)
	if p := pause(10 * time.Second); p > time.Second {
		t.Errorf("after one slow look the next one is due in %v", p)
	}
	if p := pause(time.Millisecond); p != wholeShare*time.Millisecond {
		t.Errorf("after a quick look the next one is due in %v", p)
	}
	var spent time.Duration
	for n := 0; ; n++ {
		if p := pause(time.Second); p == wholeShare*time.Second {
			break
		}
		if spent += time.Second; n == 10 {
			t.Fatalf("slow looks are never believed")
		}
	}
	if spent > 5*time.Second {
		t.Errorf("slow looks are believed after %v", spent)
	}
}

func TestFrontierNeverGoesBack(t *testing.T) {
	t.Parallel()
	var f frontier
	now := time.Now()
	f.advance(now, 7)
	f.advance(now.Add(-time.Second), 9)
	f.advance(now, 5)
	if !f.at.Equal(now) || f.id != 7 {
		t.Errorf("it went back to %v, %d", f.at, f.id)
	}
	f.advance(now, 8)
	f.advance(now.Add(time.Microsecond), 1)
	if f.id != 1 {
		t.Errorf("it did not go on: %d", f.id)
	}
}

// What is due before the frontier is found while the worker is busy with what is behind it: a step whose transaction
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
	q.frontier.wait = -1 // nothing is quick enough
	claimed := func(c claim) (ids []int64) {
		t.Helper()
		for _, s := range must[[]*heldStep](t)(w.claim(q, c)) {
			ids = append(ids, s.id)
		}
		return ids
	}
	late := must[pgx.Tx](t)(b.pool.Begin(t.Context()))
	defer func() { _ = late.Rollback(t.Context()) }()
	run := must[Run](t)(action.EnqueueTx(t.Context(), b.client, late, charge{"late", 1}))
	fill(t, b, action, 10)

	q.frontier.slow = true
	if w.nextClaim(t.Context(), q, 5); q.stragglers.looking {
		t.Error("it looks behind a frontier that there is not yet")
	}
	first := w.nextClaim(t.Context(), q, 5)
	if !first.whole || len(claimed(first)) != 5 {
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
		q.frontier.next, q.frontier.near.next = time.Time{}, time.Time{}
		if near {
			q.frontier.next = time.Now().Add(time.Hour)
		}
		if c := w.nextClaim(t.Context(), q, 1); c.whole || c.these != nil || len(claimed(c)) != 1 {
			t.Errorf("a claim waits for the look: %+v", c)
		}
		b.eventually("the look is over", func() bool { return len(q.stragglers.found) == 1 })
		c := w.nextClaim(t.Context(), q, 5)
		if got := claimed(c); !slices.Equal(got, []int64{id}) {
			t.Errorf("near %v: claimed %v, want the straggler %d", near, got, id)
		}
		if got := claimed(c); got != nil {
			t.Errorf("claimed it twice: %v", got)
		}
		if f := q.frontier; !f.slow || f.next.IsZero() || near && f.near.next.IsZero() {
			t.Errorf("the look was not noted: %+v", f)
		}
	}
}

// A worker goes on by the frontier while the looks from the beginning are slow, and runs what they find.
func TestSlowLooksHoldNothingUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(10*time.Second))
	RegisterAction(b.reg, action, recordCharge)
	cfg := slow()
	cfg.Logger, cfg.PollOnly = slog.New(slog.DiscardHandler), true
	w := must[*Worker](t)(NewWorker(b.pool, b.reg, cfg))
	w.queues[DefaultQueue].frontier.wait = -1
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

// While an old snapshot is held open, a claim from the frontier does not pass over what was taken since.
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
		taken += len(must[[]*heldStep](t)(w.claim(q, claim{limit: 500})))
	}
	beginning, frontier := b.pagesOfClaim(`'-infinity', 0`), b.pagesOfClaim(fmt.Sprintf(`'%s', %d`, q.frontier.at.Format(time.RFC3339Nano), q.frontier.id))
	if frontier*10 > beginning {
		t.Errorf("a claim from the frontier reads %d pages, one from the beginning %d", frontier, beginning)
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
