package runtime

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Claims from the beginning take a thirtieth of the time at most, however long they are, and always come again.
func TestFrontierShare(t *testing.T) {
	t.Parallel()
	var f frontier
	now := time.Now()
	if !f.whole(now) {
		t.Error("the first claim does not begin at the beginning")
	}
	f.advance(now, 7)
	for _, cost := range []time.Duration{0, time.Microsecond, 3 * time.Millisecond, 20 * time.Second} {
		began := now
		now = now.Add(cost)
		f.took(began, now)
		if cost > 0 && f.whole(now.Add(wholeShare*cost-1)) {
			t.Errorf("after a claim of %v the next one comes before %v", cost, wholeShare*cost)
		}
		if now = now.Add(wholeShare * cost); !f.whole(now) {
			t.Errorf("after a claim of %v the next one is not due in %v", cost, wholeShare*cost)
		}
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

// While an old snapshot is held open, a claim from the frontier does not pass over what was taken since.
func TestClaimsUnderAHeldSnapshot(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(10*time.Second))
	RegisterAction(b.reg, action, recordCharge)
	snapshot, err := b.pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = snapshot.Rollback(t.Context()) }()
	if _, err := snapshot.Exec(t.Context(), `SELECT count(*) FROM idem.steps`); err != nil {
		t.Fatal(err)
	}
	const steps = 20_000
	fill(t, b, action, steps)
	w, err := NewWorker(b.pool, b.reg, slow())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer w.closePools()
	w.lasting = t.Context()
	q := w.queues[DefaultQueue]
	for taken := 0; taken < steps-200; {
		taken += len(must[[]*heldStep](t)(w.claim(q, 500, false)))
	}
	beginning, frontier := b.pagesOfClaim(`'-infinity', 0`), b.pagesOfClaim(fmt.Sprintf(`'%s', %d`, q.frontier.at.Format(time.RFC3339Nano), q.frontier.id))
	if frontier*10 > beginning {
		t.Errorf("a claim from the frontier reads %d pages, one from the beginning %d", frontier, beginning)
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
