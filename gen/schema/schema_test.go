package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen/schema"
)

func ledger(columns ...schema.Column) schema.Table {
	return schema.Table{Name: "ledger", Struct: "Entry", Key: []string{"run_id", "node"}, Columns: columns}
}

var (
	user   = schema.Column{Name: "user_id", Type: "text"}
	amount = schema.Column{Name: "amount", Type: "bigint"}
)

func TestCreate(t *testing.T) {
	table := schema.Table{
		Schema: "shop", Name: "orders", Key: []string{"tenant", "number"},
		Columns: []schema.Column{
			{Name: "id", Type: "bigint", Identity: true},
			{Name: "tenant", Type: "varchar(20)"},
			{Name: "number", Type: "integer"},
			{Name: "note", Type: "text", Nullable: true},
			{Name: "at", Type: "timestamptz", Default: "now() + interval '1 day'"},
		},
	}
	got := schema.Create(table)
	want := schema.Change{
		Table:   "shop.orders",
		Comment: "shop.orders holds one row per tenant and number; idem writes it with the step's completion.",
		Up: `CREATE TABLE "shop"."orders" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "orders_payload_check" CHECK (octet_length("payload_digest") = 32),
    "id" bigint GENERATED ALWAYS AS IDENTITY,
    "tenant" varchar(20) COLLATE "C" NOT NULL,
    "number" integer NOT NULL,
    "note" text,
    "at" timestamptz NOT NULL DEFAULT (now() + interval '1 day'),
    CONSTRAINT "orders_idem_key" UNIQUE ("tenant", "number"),
    CONSTRAINT "orders_pkey" PRIMARY KEY ("id")
);`,
		Down: `DROP TABLE "shop"."orders";`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDiffAdds(t *testing.T) {
	note := schema.Column{Name: "note", Type: "text", Nullable: true}
	kind := schema.Column{Name: "kind", Type: "text", Default: "'none'"}
	change, refusals := schema.Diff(ledger(user, amount), ledger(note, user, kind, amount))
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	want := &schema.Change{
		Table: "ledger", Comment: "ledger also holds note, kind.",
		Up:   "ALTER TABLE \"ledger\"\n    ADD COLUMN \"note\" text,\n    ADD COLUMN \"kind\" text NOT NULL DEFAULT 'none';",
		Down: "ALTER TABLE \"ledger\"\n    DROP COLUMN \"kind\",\n    DROP COLUMN \"note\";",
	}
	if diff := cmp.Diff(want, change); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDiffOfTheSame(t *testing.T) {
	reordered := ledger(amount, user)
	reordered.Key = []string{"node", "run_id"}
	reordered.Columns[0].Type = "int8"
	if change, refusals := schema.Diff(ledger(user, amount), reordered); change != nil || len(refusals) > 0 {
		t.Errorf("order and spelling change nothing, but: %v %v", change, refusals)
	}
}

func TestDiffRefuses(t *testing.T) {
	with := func(change func(*schema.Column)) schema.Table {
		c := amount
		change(&c)
		return ledger(user, c)
	}
	keyed := ledger(user, amount)
	keyed.Key = []string{"user_id"}
	moved := ledger(user, amount)
	moved.Schema = "shop"
	for name, c := range map[string]struct {
		from, to schema.Table
		column   string
		sql      string
	}{
		"type":     {ledger(user, amount), with(func(c *schema.Column) { c.Type = "numeric" }), "amount", `ALTER COLUMN "amount" TYPE numeric`},
		"nullable": {ledger(user, amount), with(func(c *schema.Column) { c.Nullable = true }), "amount", `ALTER COLUMN "amount" DROP NOT NULL`},
		"not null": {with(func(c *schema.Column) { c.Nullable = true }), ledger(user, amount), "amount", `ALTER COLUMN "amount" SET NOT NULL`},
		"default":  {ledger(user, amount), with(func(c *schema.Column) { c.Default = "1" }), "amount", `ALTER COLUMN "amount" SET DEFAULT 1`},
		"no default": {
			with(func(c *schema.Column) { c.Default = "1" }), ledger(user, amount), "amount", `ALTER COLUMN "amount" DROP DEFAULT`,
		},
		"identity": {ledger(user, amount), with(func(c *schema.Column) { c.Identity = true }), "amount", `ADD GENERATED ALWAYS AS IDENTITY`},
		"dropped":  {ledger(user, amount), ledger(user), "", `DROP COLUMN "amount"`},
		"required": {ledger(user), ledger(user, amount), "amount", `ADD COLUMN "amount" bigint NOT NULL`},
		"new identity": {
			ledger(user), ledger(user, schema.Column{Name: "id", Type: "bigint", Identity: true}), "id", `ADD COLUMN "id" bigint GENERATED`,
		},
		"renamed": {ledger(user, amount), ledger(user, schema.Column{Name: "cents", Type: "bigint"}), "cents", `RENAME COLUMN "amount" TO "cents"`},
		"key":     {ledger(user, amount), keyed, "", `ADD CONSTRAINT "ledger_idem_key" PRIMARY KEY ("user_id")`},
		"schema":  {ledger(user, amount), moved, "", `SET SCHEMA "shop"`},
	} {
		change, refusals := schema.Diff(c.from, c.to)
		if change != nil || len(refusals) != 1 {
			t.Errorf("%s: change %v, refusals %v", name, change, refusals)
			continue
		}
		if r := refusals[0]; r.Column != c.column || !strings.Contains(r.SQL, c.sql) || !strings.HasSuffix(r.SQL, ";") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestDiffAddsBesideWhatItRefuses(t *testing.T) {
	a, b := schema.Column{Name: "a", Type: "text", Nullable: true}, schema.Column{Name: "b", Type: "text", Nullable: true}
	change, refusals := schema.Diff(ledger(user, amount), ledger(a, b))
	if change == nil || !strings.Contains(change.Up, `ADD COLUMN "a"`) || len(refusals) != 2 {
		t.Errorf("change %v, refusals %v", change, refusals)
	}
}

func TestMarkerNamesOneChange(t *testing.T) {
	here := schema.Marker(ledger(user), ledger(user, amount))
	if here != schema.Marker(ledger(user), ledger(user, amount)) {
		t.Error("the same change has two markers")
	}
	for name, other := range map[string]string{
		"back":    schema.Marker(ledger(user, amount), ledger(user)),
		"another": schema.Marker(ledger(user), ledger(user, schema.Column{Name: "amount", Type: "integer"})),
	} {
		if other == here {
			t.Errorf("%s has the same marker", name)
		}
	}
}

func TestRename(t *testing.T) {
	from := ledger(user, schema.Column{Name: "id", Type: "bigint", Identity: true})
	to := from
	to.Name = "book"
	got := schema.Rename(from, to)
	want := `ALTER TABLE "ledger" RENAME TO "book";
ALTER TABLE "book" RENAME CONSTRAINT "ledger_payload_check" TO "book_payload_check";
ALTER TABLE "book" RENAME CONSTRAINT "ledger_idem_key" TO "book_idem_key";
ALTER TABLE "book" RENAME CONSTRAINT "ledger_pkey" TO "book_pkey";`
	if diff := cmp.Diff(want, got.Up); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if back := schema.Rename(to, from).Up; got.Down != back {
		t.Errorf("the way back is %s", got.Down)
	}
}
