package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/gen/kind/outbox"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/schema"
	"github.com/idem-go/idem/runtime/pgtest"
)

// hook is an outbox with columns that could be everything.
func hook() outbox.Outbox {
	text := func(name string) model.Column { return model.Column{Name: name, SQLType: "text"} }
	bytes := func(name string) model.Column { return model.Column{Name: name, SQLType: "bytea", Nullable: true} }
	return outbox.Outbox{
		Type: "Hook", Table: "hooks", To: "url", OrderBy: "customer", Item: "kind", Body: "payload",
		Columns: []model.Column{text("url"), text("customer"), text("kind"), text("note"), bytes("payload"), bytes("other"), {Name: "n", SQLType: "integer"}},
	}
}

// queueHooks writes a command that waits and one that is done.
const queueHooks = `INSERT INTO hooks (command_id, run_id, node, payload_digest, url, customer, kind, note, payload, other, n, state, receipt, finished_at)
VALUES ('a', 'r', 'n', sha256('a'), 'u', 'c', 'k', 't', 'sent', 'other', 1, 'pending', NULL, NULL),
       ('b', 'r', 'n', sha256('b'), 'u', 'c', 'l', 't', NULL, NULL, 1, 'delivered', '', now())`

// evolution is a change of the outbox.
type evolution struct {
	change  func(o *outbox.Outbox)
	refused int // statements for a person to review
	empty   bool
}

var evolutions = map[string]evolution{
	"nothing":                 {func(o *outbox.Outbox) {}, 0, false},
	"new column":              {func(o *outbox.Outbox) { add(o, model.Column{Name: "more", SQLType: "text", Nullable: true}) }, 0, false},
	"required column":         {func(o *outbox.Outbox) { add(o, model.Column{Name: "more", SQLType: "text"}) }, 1, true},
	"dropped column":          {func(o *outbox.Outbox) { drop(o, "note") }, 1, false},
	"renamed column":          {func(o *outbox.Outbox) { rename(o, "note", "title") }, 1, false},
	"no to":                   {func(o *outbox.Outbox) { o.To = "" }, 1, false},
	"other to":                {func(o *outbox.Outbox) { o.To = "note" }, 1, false},
	"to is new":               {func(o *outbox.Outbox) { o.To = "more"; add(o, model.Column{Name: "more", SQLType: "text"}) }, 1, true},
	"to is renamed":           {func(o *outbox.Outbox) { o.To = "link"; rename(o, "url", "link") }, 1, false},
	"to becomes what renamed": {func(o *outbox.Outbox) { o.To = "title"; rename(o, "note", "title") }, 2, false},
	"to goes":                 {func(o *outbox.Outbox) { o.To = ""; drop(o, "url") }, 2, false},
	"no order":                {func(o *outbox.Outbox) { o.OrderBy = "" }, 1, false},
	"other order":             {func(o *outbox.Outbox) { o.OrderBy = "note" }, 1, false},
	"order goes":              {func(o *outbox.Outbox) { o.OrderBy = ""; drop(o, "customer") }, 2, false},
	"order is renamed":        {func(o *outbox.Outbox) { o.OrderBy = "who"; rename(o, "customer", "who") }, 1, false},
	"neither":                 {func(o *outbox.Outbox) { o.To, o.OrderBy = "", "" }, 1, false},
	"both others":             {func(o *outbox.Outbox) { o.To, o.OrderBy = "customer", "note" }, 1, false},
	"no item":                 {func(o *outbox.Outbox) { o.Item = "" }, 1, false},
	"other item":              {func(o *outbox.Outbox) { o.Item = "note" }, 1, false},
	"a number for the item":   {func(o *outbox.Outbox) { o.Item = "n" }, 1, false},
	"item is new":             {func(o *outbox.Outbox) { o.Item = "more"; add(o, model.Column{Name: "more", SQLType: "text"}) }, 1, true},
	"item is renamed":         {func(o *outbox.Outbox) { o.Item = "sort"; rename(o, "kind", "sort") }, 2, false},
	"order and item are new": {func(o *outbox.Outbox) {
		o.OrderBy, o.Item = "more", "more"
		add(o, model.Column{Name: "more", SQLType: "text"})
	}, 2, true},
	"other body": {func(o *outbox.Outbox) { o.Body = "other" }, 1, false},
	"text body":  {func(o *outbox.Outbox) { o.Body = "note" }, 1, false},
	"body is new": {func(o *outbox.Outbox) {
		o.Body = "more"
		add(o, model.Column{Name: "more", SQLType: "bytea", Nullable: true})
	}, 1, false},
	"body is renamed": {func(o *outbox.Outbox) { o.Body = "data"; rename(o, "payload", "data") }, 1, false},
	"body is JSON":    {func(o *outbox.Outbox) { o.Body = ""; drop(o, "payload"); drop(o, "other") }, 2, false},
	"text for bytes": {func(o *outbox.Outbox) {
		o.Body = "words"
		drop(o, "payload")
		add(o, model.Column{Name: "words", SQLType: "text"})
	}, 1, false},
}

func add(o *outbox.Outbox, c model.Column) { o.Columns = append(o.Columns, c) }

func drop(o *outbox.Outbox, name string) {
	o.Columns = slices.DeleteFunc(o.Columns, func(c model.Column) bool { return c.Name == name })
}

func rename(o *outbox.Outbox, from, to string) {
	o.Columns[slices.IndexFunc(o.Columns, func(c model.Column) bool { return c.Name == from })].Name = to
}

// TestOutboxEvolves does to a table with commands what Diff says, there and back. It must then be the table that the
// other outbox makes from nothing, and the command that waits must send what it would have sent.
func TestOutboxEvolves(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Postgres")
	}
	conn := connect(t)
	for name, e := range evolutions {
		t.Run(name, func(t *testing.T) {
			o := hook()
			e.change(&o)
			before, after := schema.Of("shop.test/a", hook()), schema.Of("shop.test/a", o)
			create(t, conn, before)
			if !e.empty {
				exec(t, conn, queueHooks)
			}
			if n := evolve(t, conn, before, after); n != e.refused {
				t.Errorf("%d statements are to be reviewed, want %d", n, e.refused)
			}
			wantSent(t, conn, o.BodyColumn(), e.empty)
			evolved := describe(t, conn)
			create(t, conn, after)
			if diff := cmp.Diff(describe(t, conn), evolved); diff != "" {
				t.Errorf("the table is not what it should be (-want +got):\n%s", diff)
			}
			evolve(t, conn, after, before)
			evolved = describe(t, conn)
			create(t, conn, before)
			if diff := cmp.Diff(describe(t, conn), evolved); diff != "" {
				t.Errorf("back it is not what it was (-want +got):\n%s", diff)
			}
		})
	}
}

// evolve runs what Diff refuses, in the order in which people read it, and then what it adds.
func evolve(t *testing.T, conn *pgxpool.Conn, from, to schema.Table) (refused int) {
	t.Helper()
	change, refusals := schema.Diff(from, to)
	slices.SortStableFunc(refusals, func(a, b schema.Refusal) int { return strings.Compare(a.Reason, b.Reason) })
	for _, r := range refusals {
		t.Log(r.Reason, r.SQL)
		exec(t, conn, r.SQL)
	}
	if change != nil {
		exec(t, conn, change.Up)
	}
	return len(refusals)
}

func TestOutboxIsRenamed(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Postgres")
	}
	conn := connect(t)
	from, to := schema.Of("shop.test/a", hook()), schema.Of("shop.test/a", hook())
	from.Name = "calls"
	create(t, conn, from)
	change := schema.Rename(from, to)
	exec(t, conn, change.Up)
	renamed := describe(t, conn)
	exec(t, conn, change.Down)
	exec(t, conn, change.Up)
	create(t, conn, to)
	if diff := cmp.Diff(describe(t, conn), renamed); diff != "" {
		t.Errorf("the table is not what it should be (-want +got):\n%s", diff)
	}
}

func TestMarkersOfOutboxes(t *testing.T) {
	without := hook()
	without.OrderBy = ""
	of := func(o outbox.Outbox) schema.Table { return schema.Of("shop.test/a", o) }
	if schema.Marker(of(hook()), of(without)) == schema.Marker(of(hook()), of(hook())) {
		t.Error("the order is no part of the marker")
	}
}

func connect(t *testing.T) *pgxpool.Conn {
	t.Helper()
	conn, err := pgtest.New(t).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Release)
	return conn
}

func exec(t *testing.T, conn *pgxpool.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// create makes the table, the only one of the database.
func create(t *testing.T, conn *pgxpool.Conn, table schema.Table) {
	t.Helper()
	exec(t, conn, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	for _, change := range table.Create() {
		exec(t, conn, change.Up)
	}
}

// wantSent expects the command that waits to send what it was queued with.
func wantSent(t *testing.T, conn *pgxpool.Conn, column string, none bool) {
	t.Helper()
	if none {
		return
	}
	var body string
	sql := fmt.Sprintf(`SELECT convert_from(%s::bytea, 'UTF8') FROM hooks WHERE command_id = 'a'`, pgx.Identifier{column}.Sanitize())
	if err := conn.QueryRow(t.Context(), sql).Scan(&body); err != nil || body != "sent" {
		t.Errorf("the command that waits sends %q (%v)", body, err)
	}
}

// describe returns the columns, constraints and indexes of the database's only table, by name.
func describe(t *testing.T, conn *pgxpool.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
SELECT format('%s %s %s %s %s %s', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, c.collname, a.attidentity, pg_get_expr(d.adbin, d.adrelid))
FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = 'hooks'::regclass AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'hooks'::regclass AND contype <> 'n'
UNION ALL SELECT indexdef FROM pg_indexes WHERE tablename = 'hooks'`)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}
