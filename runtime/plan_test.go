package runtime

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/explain"
	"github.com/idem-go/idem/runtime/internal/store"
)

// hotStatement is one that runs per step or per group, with what its plan may look the steps up by.
type hotStatement struct {
	sql     func(*store.Statements) string
	args    string   // in SQL
	indexes []string // all that may be used, and each must be
}

// numbers writes an array of the numbers up to n.
func numbers(n int) string {
	text := make([]string, n)
	for i := range text {
		text[i] = strconv.Itoa(i + 1)
	}
	return "'{" + strings.Join(text, ",") + "}'"
}

var hotStatements = map[string]hotStatement{
	"claim": {func(s *store.Statements) string { return s.Claim },
		`'w', 1000000, 'default', ARRAY['charge'], 500, '-infinity', 0`, []string{"steps_ready_idx"}},
	"claim from a place on": {func(s *store.Statements) string { return s.Claim },
		`'w', 1000000, 'default', ARRAY['charge'], 500, now() - interval '1 s', 7`, []string{"steps_ready_idx"}},
	"input":            {func(s *store.Statements) string { return s.Input }, `1, 1`, []string{"steps_pkey"}},
	"due":              {func(s *store.Statements) string { return s.Due }, `now() - interval '1 minute', 60000000, 'default', ARRAY['charge']`, []string{"steps_leased_idx", "steps_ready_idx"}},
	"expired":          {func(s *store.Statements) string { return s.Expired }, `now() - interval '1 minute', 60000000`, []string{"steps_leased_idx"}},
	"expired at first": {func(s *store.Statements) string { return s.Expired }, `NULL, 60000000`, []string{"steps_leased_idx"}},
	"complete one": {func(s *store.Statements) string { return s.CompleteOne },
		`1, 1, NULL`, []string{"steps_pkey"}},
	"complete a group": {func(s *store.Statements) string { return s.Complete },
		numbers(100) + ", " + numbers(100) + ", " + numbers(100), []string{"steps_pkey"}},
	"settle": {func(s *store.Statements) string { return s.Settle },
		`1, 1, 'pending', 'error', 1, 0, 1000, 'no', 1, 'retried', 'error', 'w', 0`, []string{"steps_pkey"}},
	"heartbeat": {func(s *store.Statements) string { return s.Heartbeat },
		numbers(200) + ", " + numbers(200) + ", 1000000", []string{"steps_pkey"}},
	"sweep":     {func(s *store.Statements) string { return s.Sweep }, `100, '-infinity'`, []string{"steps_leased_idx", "steps_pkey"}},
	"read back": {func(s *store.Statements) string { return s.ReadBack }, `1`, []string{"steps_pkey"}},
	"retire":    {func(s *store.Statements) string { return s.Retire }, `500, 1000, 86400000000, 0`, []string{"steps_pkey"}},
	"status":    {func(s *store.Statements) string { return s.Status }, `'run_1', 'charge'`, []string{"steps_run_node_key"}},
	"digests":   {func(s *store.Statements) string { return s.Digests }, `'charge', ARRAY['run_1']`, []string{"steps_run_node_key"}},
	"cancel":    {func(s *store.Statements) string { return s.Cancel }, `'run_1', 'charge'`, []string{"steps_run_node_key"}},
	"retry":     {func(s *store.Statements) string { return s.Retry }, `'run_1', 'charge'`, []string{"steps_run_node_key"}},
	"wake":      {func(s *store.Statements) string { return s.Wake }, `'run_1', 'charge'`, []string{"steps_pkey", "steps_run_node_key"}},
}

// stepsInBulk adds n steps in a state.
func (b *bench) stepsInBulk(state State, n int) {
	b.Helper()
	b.exec(`INSERT INTO idem.steps (run_id, node, queue, state, epoch, max_attempts, input, input_digest, finished_at, lease_expires_at)
		SELECT 'run_' || $1::text || g, 'charge', 'default', $1::text, 1, 3, '{}', sha256('x'),
		       CASE WHEN $1::text = 'completed' THEN now() END, CASE WHEN $1::text = 'running' THEN now() + interval '1 minute' END
		FROM generate_series(1, $2::integer) g`, string(state), n)
}

// However the planner's statistics mislead it, the statements of the hot path find their rows by an index: with a plan for
// the arguments, and with the one for any arguments that a prepared statement may get.
func TestPlansOfHotStatements(t *testing.T) {
	t.Parallel()
	const unaware = `ALTER TABLE idem.steps SET (autovacuum_enabled = false)`
	for name, fill := range map[string]func(b *bench){
		"statistics are right": func(b *bench) {
			b.stepsInBulk(StateCompleted, 60_000)
			b.stepsInBulk(StatePending, 5000)
			b.stepsInBulk(StateRunning, 200)
			b.exec(`ANALYZE idem.steps`)
		},
		"never analyzed": func(b *bench) {
			b.stepsInBulk(StateCompleted, 60_000)
			b.stepsInBulk(StatePending, 5000)
		},
		"analyzed while it was empty": func(b *bench) {
			b.exec(`ANALYZE idem.steps`)
			b.stepsInBulk(StateCompleted, 60_000)
			b.stepsInBulk(StatePending, 5000)
		},
		"analyzed while all were pending": func(b *bench) {
			b.stepsInBulk(StatePending, 60_000)
			b.exec(`ANALYZE idem.steps`)
			b.exec(`UPDATE idem.steps SET state = 'completed', finished_at = now() WHERE id <= 55000`)
		},
		"analyzed while none was pending": func(b *bench) {
			b.stepsInBulk(StateCompleted, 60_000)
			b.exec(`ANALYZE idem.steps`)
			b.stepsInBulk(StatePending, 20_000)
			b.stepsInBulk(StateRunning, 2000)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.exec(unaware)
			fill(b)
			for _, mode := range []explain.Mode{explain.Custom, explain.Generic} {
				b.plans(t, mode)
			}
		})
	}
}

func (b *bench) plans(t *testing.T, mode explain.Mode) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	all := store.NewStatements(DefaultSchema)
	for name, s := range hotStatements {
		used, plan, err := explain.Indexes(t.Context(), conn, mode, "steps", s.sql(all), s.args)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(used, s.indexes) {
			t.Errorf("%s with %s looks steps up by %v, want %v\n%s", name, mode, used, s.indexes, plan)
		}
	}
}
