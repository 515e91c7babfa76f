package provider_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/explain"
	"github.com/idem-go/idem/runtime/provider"
)

// inBulk adds n intents in a state.
func (b *bench) inBulk(state string, n int) {
	b.Helper()
	b.exec(`INSERT INTO idem.intents (key, run_id, node, provider, state, owner, request, request_digest, receipt, actor, reason, settled_at)
		SELECT 'key_' || $1::text || md5(i::text), 'run_' || i, $1::text, 'sms', $1::text, 'worker', '{}', sha256('x'),
		       CASE WHEN $1::text = 'confirmed' THEN '{}'::json END, 'worker', 'test', CASE WHEN $1::text = 'confirmed' THEN now() END
		FROM generate_series(1, $2::integer) i`, state, n)
}

// However the planner's statistics mislead it, calls find their intents by a key.
func TestPlansOfCalls(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(b *bench){
		"statistics are right": func(b *bench) {
			b.inBulk("confirmed", 10_000)
			b.inBulk("prepared", 1000)
			b.exec(`ANALYZE idem.intents`)
		},
		"never analyzed": func(b *bench) {
			b.inBulk("confirmed", 10_000)
			b.inBulk("prepared", 1000)
		},
		"analyzed while it was empty": func(b *bench) {
			b.exec(`ANALYZE idem.intents`)
			b.inBulk("confirmed", 10_000)
			b.inBulk("prepared", 1000)
		},
		"analyzed while none was open": func(b *bench) {
			b.inBulk("confirmed", 10_000)
			b.exec(`VACUUM ANALYZE idem.intents`)
			b.inBulk("prepared", 3000)
		},
		"analyzed while all were open": func(b *bench) {
			b.inBulk("prepared", 10_000)
			b.exec(`ANALYZE idem.intents`)
			b.exec(`UPDATE idem.intents SET state = 'confirmed', receipt = '{}', settled_at = now() WHERE key > 'key_prepared1'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.exec(`ALTER TABLE idem.intents SET (autovacuum_enabled = false), DISABLE TRIGGER USER`)
			fill(b)
			b.plans(t)
		})
	}
}

func (b *bench) plans(t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	statements := provider.Statements(runtime.DefaultSchema)
	for name, of := range map[string]struct{ args, index string }{
		"load":        {"'key_1'", "intents_pkey"},
		"latest":      {"'run_1', 'prepared', 'sms', ''", "intents_call_key"},
		"latest undo": {"'key_1'", "intents_compensation_key"},
		"settle":      {"'key_1', 1, 'confirmed', '{}', 'worker', 'test'", "intents_pkey"},
		"doubt":       {"'key_1', 1, 'worker', 'test', false, 0", "intents_pkey"},
		"again":       {"'key_1', 1, 'worker', 'test', 'worker', false, 0", "intents_pkey"},
		"unsent":      {"'key_1', 1, 'worker', 'test'", "intents_pkey"},
		"remark":      {"'key_1', 1, 'worker', 'test'", "intents_pkey"},
	} {
		for _, mode := range []explain.Mode{explain.Custom, explain.Generic} {
			used, plan, err := explain.Indexes(t.Context(), conn, mode, "intents", statements[name], of.args)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Equal(used, []string{of.index}) {
				t.Errorf("%s with %s looks intents up by %v, want %s\n%s", name, mode, used, of.index, plan)
			}
		}
	}
}
