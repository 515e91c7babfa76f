package outbox_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/explain"
	"github.com/idem-go/idem/runtime/outbox"
)

// outboxForm is one of the forms that outboxes come in, with how its rows are made in bulk from i.
type outboxForm struct {
	name            string
	table           *outbox.Table
	columns, values string
}

var outboxForms = []outboxForm{
	{"notes", &noteOutbox, "text", "'text'"},
	{"pings", &pingOutbox, "url, n, body", "'http://' || i % 20, i, '{}'"},
	{"webhook_outbox", &webhookOutbox, "url, customer, kind", "'http://' || i % 20, 'customer ' || i % 100, 'paid'"},
}

// inBulk adds n commands in a state.
func (b *bench) inBulk(f outboxForm, state outbox.State, n int) {
	b.Helper()
	b.exec(`INSERT INTO `+f.name+` (command_id, run_id, node, payload_digest, `+f.columns+`, state, receipt, finished_at)
		SELECT 'cmd_' || $1::text || md5(i::text), 'run_' || i, 'charge', sha256('x'), `+f.values+`, $1::text,
		       CASE WHEN $1::text = 'delivered' THEN ''::bytea END, CASE WHEN $1::text <> 'pending' THEN now() - interval '1 hour' END
		FROM generate_series(1, $2::integer) i`, string(state), n)
}

// many is an array of n values in SQL.
func many(value, kind string, n int) string {
	return "array_fill(" + value + "::" + kind + ", ARRAY[" + fmt.Sprint(n) + "])"
}

// relayArgs are arguments as relays give them, in SQL.
var relayArgs = map[string]string{
	"limit": "500", "lease": "60000000", "after": "''", "destinations": "ARRAY['http://1','http://2']", "rooms": "ARRAY[500,0]", "share": "8",
	"ids": many("'cmd_1'", "text", 100), "epochs": many("1", "bigint", 100), "states": many("'delivered'", "text", 100), "unsent": many("0", "integer", 100),
	"delays": many("0", "bigint", 100), "receipts": many("''", "bytea", 100), "errors": many("NULL", "text", 100), "keep": "60000000",
}

// numbered turns named parameters into numbered ones, and returns the arguments in their order.
func numbered(t *testing.T, sql string) (text, args string) {
	t.Helper()
	named := pgx.NamedArgs{}
	for name, value := range relayArgs {
		named[name] = value
	}
	text, values, err := named.RewriteQuery(t.Context(), nil, sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprint(v)
	}
	return text, strings.Join(all, ", ")
}

// However the planner's statistics mislead it, relays find their commands by an index.
func TestPlansOfRelays(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(b *bench, f outboxForm){
		"statistics are right": func(b *bench, f outboxForm) {
			b.inBulk(f, outbox.StateDelivered, 40_000)
			b.inBulk(f, outbox.StatePending, 4000)
			b.exec(`ANALYZE ` + f.name)
		},
		"never analyzed": func(b *bench, f outboxForm) {
			b.inBulk(f, outbox.StateDelivered, 40_000)
			b.inBulk(f, outbox.StatePending, 4000)
		},
		"analyzed while it was empty": func(b *bench, f outboxForm) {
			b.exec(`ANALYZE ` + f.name)
			b.inBulk(f, outbox.StateDelivered, 40_000)
			b.inBulk(f, outbox.StatePending, 4000)
		},
		"analyzed while none was pending": func(b *bench, f outboxForm) {
			b.inBulk(f, outbox.StateDelivered, 40_000)
			b.exec(`ANALYZE ` + f.name)
			b.inBulk(f, outbox.StatePending, 10_000)
		},
		"analyzed while all were pending": func(b *bench, f outboxForm) {
			b.inBulk(f, outbox.StatePending, 40_000)
			b.exec(`ANALYZE ` + f.name)
			b.exec(`UPDATE ` + f.name + ` SET state = 'delivered', receipt = '', finished_at = now() WHERE command_id > 'cmd_pending1'`)
		},
	} {
		for _, f := range outboxForms {
			t.Run(name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				b.exec(`ALTER TABLE ` + f.name + ` SET (autovacuum_enabled = false)`)
				fill(b, f)
				b.plans(t, f)
			})
		}
	}
}

func (b *bench) plans(t *testing.T, f outboxForm) {
	t.Helper()
	conn := must(pgx.Connect(t.Context(), b.pool.Config().ConnString()))
	defer func() { _ = conn.Close(context.Background()) }()
	want := map[string][]string{
		"claim": {f.name + "_pending_idx"}, "mark": {f.name + "_idem_key"}, "marked": {f.name + "_idem_key"},
		"purge": {f.name + "_finished_idx", f.name + "_idem_key"},
	}
	for name, sql := range outbox.Statements(f.table) {
		text, args := numbered(t, sql)
		for _, mode := range []explain.Mode{explain.Custom, explain.Generic} {
			used, plan, err := explain.Indexes(t.Context(), conn, mode, f.name, text, args)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Equal(used, want[name]) {
				t.Errorf("%s with %s looks commands up by %v, want %v\n%s", name, mode, used, want[name], plan)
			}
		}
	}
}
