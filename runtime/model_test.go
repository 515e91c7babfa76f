package runtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/schedule"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/internal/value"
)

// modelStep is what a step should be, kept in memory.
type modelStep struct {
	State       State
	Epoch       int64
	Attempt     int
	Reclaims    int
	MaxReclaims *int
	Effects     int // rows of the ledger
	expired     bool
}

// held is a claim that some worker believes to have.
type held struct {
	run   string
	id    int64
	epoch int64
}

// machine drives the runtime's statements and the model side by side.
type machine struct {
	bench *bench
	sql   *store.Statements
	steps map[string]*modelStep
	ids   map[string]int64
	held  []held // also those that have been lost since
}

// TestStepsFollowTheModel runs random sequences of the statements that change a step, with holders that are late, and
// compares the table with a model after each. The model's rule for all of them: only who holds the latest epoch changes a
// running step, and an effect is there if and only if its step is completed.
func TestStepsFollowTheModel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rapid.Check(t, func(rt *rapid.T) {
		b.exec(`TRUNCATE idem.steps CASCADE`)
		b.exec(`TRUNCATE ledger`)
		m := &machine{bench: b, sql: store.NewStatements(DefaultSchema), steps: map[string]*modelStep{}, ids: map[string]int64{}}
		rt.Repeat(map[string]func(*rapid.T){
			"enqueue": m.enqueue, "claim": m.claim, "complete": m.complete, "fail": m.fail, "discard": m.discard,
			"heartbeat": m.heartbeat, "expire": m.expire, "sweep": m.sweep, "cancel": m.cancel, "retry": m.retry,
			"": m.check,
		})
	})
}

func (m *machine) enqueue(t *rapid.T) {
	run := fmt.Sprintf("run-%d", len(m.steps))
	s := &modelStep{State: StatePending, Attempt: 1}
	if rapid.Bool().Draw(t, "bounded") {
		s.MaxReclaims = new(rapid.IntRange(0, 2).Draw(t, "max reclaims"))
	}
	_, err := m.bench.pool.Exec(context.Background(), m.sql.Insert, run, "charge", "default", 3, s.MaxReclaims, nil, int64(0),
		`{}`, value.Sum([]byte(`{}`)))
	if err != nil {
		t.Fatal(err)
	}
	m.steps[run] = s
}

func (m *machine) claim(t *rapid.T) {
	limit := rapid.IntRange(1, 3).Draw(t, "limit")
	rows, err := m.bench.pool.Query(context.Background(), m.sql.Claim, "w", time.Hour.Microseconds(), "default", []string{"charge"}, limit, "-infinity", 0)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		h       held
		attempt int
	}
	claimed, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (c row, err error) {
		var node string
		var reclaims, interruptions, maxAttempts int
		var input []byte
		return c, r.Scan(&c.h.id, &c.h.run, &node, &c.h.epoch, &c.attempt, &reclaims, &interruptions, &maxAttempts, &input, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := min(limit, m.count(StatePending)); len(claimed) != want {
		t.Fatalf("%d steps were claimed, want %d", len(claimed), want)
	}
	for _, c := range claimed {
		s := m.steps[c.h.run]
		s.State, s.expired = StateRunning, false
		s.Epoch++
		if c.h.epoch != s.Epoch || c.attempt != s.Attempt {
			t.Fatalf("%s was claimed with epoch %d and attempt %d, want %d and %d", c.h.run, c.h.epoch, c.attempt, s.Epoch, s.Attempt)
		}
		m.ids[c.h.run] = c.h.id
		m.held = append(m.held, c.h)
	}
}

// holder draws one that has, or had, a step.
func (m *machine) holder(t *rapid.T) held {
	if len(m.held) == 0 {
		t.Skip("nobody holds anything")
	}
	return rapid.SampledFrom(m.held).Draw(t, "holder")
}

func (m *machine) holds(h held) bool {
	s := m.steps[h.run]
	return s.State == StateRunning && s.Epoch == h.epoch
}

// complete writes an effect and the completion as a worker does: one pipeline.
func (m *machine) complete(t *rapid.T) {
	h := m.holder(t)
	b := &pgx.Batch{}
	b.Queue(ledger.InsertSQL, h.run, "charge", value.Sum([]byte(h.run)), "ann", int64(1), nil)
	b.Queue(m.sql.Complete, []int64{h.id}, []int64{h.epoch}, []*string{nil})
	err := m.bench.pool.SendBatch(context.Background(), b).Close()
	if !m.holds(h) {
		if failure.Of(err) != failure.LeaseLost {
			t.Fatalf("a late completion of %s gives %v, want a lost lease", h.run, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	s := m.steps[h.run]
	s.State, s.Effects = StateCompleted, 1
	s.Epoch++
}

func (m *machine) settle(t *rapid.T, state State, attempts int, event EventKind) {
	h := m.holder(t)
	tag, err := m.bench.pool.Exec(context.Background(), m.sql.Settle, h.id, h.epoch, string(state), string(ReasonError), attempts, 0, int64(0),
		"no luck", 1, string(event), string(ReasonError), "w", 0)
	if err != nil {
		t.Fatal(err)
	}
	if (tag.RowsAffected() == 1) != m.holds(h) {
		t.Fatalf("settling %s changed %d rows; it is held: %t", h.run, tag.RowsAffected(), m.holds(h))
	}
	if m.holds(h) {
		s := m.steps[h.run]
		s.State = state
		s.Attempt += attempts
		if attempts > 0 {
			s.Reclaims = 0
		}
		s.Epoch++
	}
}

func (m *machine) fail(t *rapid.T)    { m.settle(t, StatePending, 1, EventRetried) }
func (m *machine) discard(t *rapid.T) { m.settle(t, StateDiscarded, 0, EventDiscarded) }

// heartbeat renews what is still held, and changes nothing of what is not.
func (m *machine) heartbeat(t *rapid.T) {
	h := m.holder(t)
	rows, err := m.bench.pool.Query(context.Background(), m.sql.Heartbeat, []int64{h.id}, []int64{h.epoch}, time.Hour.Microseconds())
	if err != nil {
		t.Fatal(err)
	}
	kept, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	if (len(kept) == 1) != m.holds(h) {
		t.Fatalf("the heartbeat of %s kept %v; it is held: %t", h.run, kept, m.holds(h))
	}
	if m.holds(h) {
		m.steps[h.run].expired = false
	}
}

// expire lets the lease of a running step run out.
func (m *machine) expire(t *rapid.T) {
	run := m.draw(t, StateRunning)
	m.bench.exec(`UPDATE idem.steps SET lease_expires_at = now() - interval '1 s' WHERE run_id = $1`, run)
	m.steps[run].expired = true
}

func (m *machine) sweep(t *rapid.T) {
	rows, err := m.bench.pool.Query(context.Background(), m.sql.Sweep, schedule.SweepPage, beginning)
	if err != nil {
		t.Fatal(err)
	}
	swept, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (run string, err error) {
		run = string(r.RawValues()[1])
		return run, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for run, s := range m.steps {
		if s.State != StateRunning || !s.expired {
			continue
		}
		want = append(want, run)
		s.Epoch++
		if s.MaxReclaims != nil && s.Reclaims >= *s.MaxReclaims {
			s.State = StateDiscarded
			continue
		}
		s.State = StatePending
		s.Reclaims++
	}
	slices.Sort(want)
	slices.Sort(swept)
	if !slices.Equal(swept, want) {
		t.Fatalf("the sweep took %v, want %v", swept, want)
	}
}

func (m *machine) cancel(t *rapid.T) {
	run := rapid.SampledFrom(m.runs(t)).Draw(t, "run")
	if _, err := m.bench.client.Cancel(context.Background(), run, ""); err != nil {
		t.Fatal(err)
	}
	if s := m.steps[run]; !s.State.Ended() {
		s.State = StateCancelled
		s.Epoch++
	}
}

func (m *machine) retry(t *rapid.T) {
	run := m.draw(t, StateDiscarded)
	if _, err := m.bench.client.Retry(context.Background(), run, ""); err != nil {
		t.Fatal(err)
	}
	s := m.steps[run]
	s.State, s.Reclaims = StatePending, 0
	s.Attempt++
	s.Epoch++
}

// draw returns a run whose step is in a state.
func (m *machine) draw(t *rapid.T, state State) string {
	var found []string
	for _, run := range slices.Sorted(maps.Keys(m.steps)) {
		if m.steps[run].State == state {
			found = append(found, run)
		}
	}
	if len(found) == 0 {
		t.Skip("no such step")
	}
	return rapid.SampledFrom(found).Draw(t, "run")
}

func (m *machine) runs(t *rapid.T) []string {
	if len(m.steps) == 0 {
		t.Skip("no step")
	}
	return slices.Sorted(maps.Keys(m.steps))
}

func (m *machine) count(state State) (n int) {
	for _, s := range m.steps {
		if s.State == state {
			n++
		}
	}
	return n
}

// check compares the whole table with the model.
func (m *machine) check(t *rapid.T) {
	rows, err := m.bench.pool.Query(context.Background(), `SELECT s.run_id, s.state, s.epoch, s.attempt, s.reclaims, s.max_reclaims,
		(SELECT count(*) FROM ledger l WHERE l.run_id = s.run_id) FROM idem.steps s`)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]*modelStep{}
	var run string
	var s modelStep
	if _, err := pgx.ForEachRow(rows, []any{&run, &s.State, &s.Epoch, &s.Attempt, &s.Reclaims, &s.MaxReclaims, &s.Effects}, func() error {
		copied := s
		if s.MaxReclaims != nil {
			copied.MaxReclaims = new(*s.MaxReclaims)
		}
		got[run] = &copied
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.steps, got, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".expired" }, cmp.Ignore())); d != "" {
		t.Fatalf("the table is not what the model says (-model +table):\n%s", d)
	}
}
