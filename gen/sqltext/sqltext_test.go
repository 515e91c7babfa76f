package sqltext_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/gen/sqltext"
)

func TestQuoteAgreesWithPgx(t *testing.T) {
	for _, name := range []string{"ledger", `a"b`, "", "\x00", "Ünïcode", "select", `"""`, "a\x00b", "a b;--"} {
		if got, want := sqltext.Quote(name), (pgx.Identifier{name}).Sanitize(); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
	if got, want := sqltext.Qualified("billing", `l"g`), (pgx.Identifier{"billing", `l"g`}).Sanitize(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDisplayIsUnique(t *testing.T) {
	tables := [][2]string{{"", "a.b"}, {"a", "b"}, {"", "Ledger"}, {"", "ledger"}, {"a.b", "c"}, {"a", "b.c"}, {"", `"ledger"`}}
	seen := map[string]bool{}
	for _, table := range tables {
		name := sqltext.Display(table[0], table[1])
		if seen[name] {
			t.Errorf("two tables are called %s", name)
		}
		seen[name] = true
	}
	if got := sqltext.Display("billing", "ledger_2"); got != "billing.ledger_2" {
		t.Errorf("plain names stay bare: got %s", got)
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"ledger": true, strings.Repeat("a", 49): true, strings.Repeat("a", 50): false, strings.Repeat("ü", 25): false,
		"": false, "a\nb": false, "a\x00": false, "\xff": false, "a\u2028b": false, `odd "name; --`: true,
	} {
		if err := sqltext.CheckName(name, sqltext.DerivedRoom); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestCheckExpression(t *testing.T) {
	for _, good := range []string{
		"now()", "'it''s'", "E'a\\'b'", "'{}'::jsonb", "now() + interval '1 day'", "array[1, 2]", "(1, 2)", `"col"`,
		"'; -- no comment'", "'/* none */'", "1", "-1", "nextval('seq')", "'a' || 'b'", "coalesce(null, 1)", "'(' ",
	} {
		if err := sqltext.CheckExpression(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", " ", "now(", "now())", "1, 2", "1; DROP TABLE x", "1 -- rest", "1 /* rest", "'open", `"open`, "E'open\\'", "$1", "$$x$$",
		"a\nb", "'a\nb'", "\\", "(]", "'\xff'", "1)::text, (2", "'\u2028'", "é\u2028", "E'\\", "1e'a\\'",
	} {
		if err := sqltext.CheckExpression(bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestCheckType(t *testing.T) {
	for _, good := range []string{
		"bigint", "numeric(12, 2)", "text[]", "integer[3][4]", "timestamp(3) with time zone", `"my type"`, `shop."state"`,
		"double precision", "interval day to second(3)", "geometry(Point,4326)", "numeric(3,-2)",
	} {
		if err := sqltext.CheckType(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "text not null", "text DEFAULT 1", "serial", "bigserial", "text, x int", "text)", "'text'", "text; x", "text collate \"C\"",
		"int primary key", "(int)", "text::int", "text -- x", "varchar(", "int generated always as identity", "text = 1",
	} {
		if err := sqltext.CheckType(bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestParameterType(t *testing.T) {
	for columnType, want := range map[string]string{
		"bigint": "bigint", "numeric(12,2)": "numeric", "varchar(3)": "varchar", "character varying(3)": "character varying",
		"char(3)": "bpchar", "char": "bpchar", "CHARACTER(3)": "bpchar", "character": "bpchar", "bit(3)": "varbit", `"char"`: `"char"`,
		"numeric(12,2)[]": "numeric[]", "char(3)[][4]": "bpchar[]", "timestamp(3) with time zone": "timestamp with time zone",
		"integer array": "integer[]", `shop."State"`: `shop."State"`, "varchar (3)": "varchar",
	} {
		if got := sqltext.ParameterType(columnType); got != want {
			t.Errorf("%s: got %s, want %s", columnType, got, want)
		}
	}
}

func TestSameType(t *testing.T) {
	for _, pair := range [][2]string{
		{"int8", "BIGINT"}, {"varchar(3)", "character varying( 3 )"}, {"timestamptz", "timestamp with time zone"},
		{"numeric(12,2)", "decimal(12, 2)"}, {"int[]", "integer[3]"}, {"float8", "double  precision"}, {"int[][]", "int array"},
	} {
		if !sqltext.SameType(pair[0], pair[1]) {
			t.Errorf("%s and %s are one type", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"int8", "int4"}, {"varchar(3)", "varchar(4)"}, {"varchar", "varchar(4)"}, {"int", "int[]"}, {`"Int"`, "int"}, {"timestamp", "timestamptz"},
	} {
		if sqltext.SameType(pair[0], pair[1]) {
			t.Errorf("%s and %s are two types", pair[0], pair[1])
		}
	}
}

func TestIsElement(t *testing.T) {
	for _, columnType := range []string{
		"text", "varchar(3)", "character varying", "char(3)", "bpchar", "bool", "int2", "INTEGER", "bigint", "float4", "double  precision", "numeric(12, 2)",
		"timestamptz(3)", "timestamp (3) with time zone", "timestamp", "date", "time(3) without time zone", "uuid", "bytea", "json", "jsonb",
	} {
		if !sqltext.IsElement(columnType) {
			t.Errorf("%s can be sent in an array", columnType)
		}
	}
	for _, columnType := range []string{
		"text[]", "int array", "bigint[3]", "citext", "interval", "timetz", "time with time zone", "inet", "bit(3)", "varbit", "money", "xml", "mood", "shop.mood",
		`"text"`, `"char"`, "public.text", "name", "oid", "hstore", "int4range", "tsvector", "point",
	} {
		if sqltext.IsElement(columnType) {
			t.Errorf("%s is not known to be as an element what it is alone", columnType)
		}
	}
}

func TestIsJSON(t *testing.T) {
	for columnType, want := range map[string]bool{"json": true, "JSONB": true, "text": false, "jsonb[]": false, `"json"`: false} {
		if got := sqltext.IsJSON(columnType); got != want {
			t.Errorf("%s: %v, want %v", columnType, got, want)
		}
	}
}

func TestDefault(t *testing.T) {
	for expression, want := range map[string]string{
		"now()": "now()", "'new'": "'new'", "-1.5": "-1.5", "true": "true", "'{}'::jsonb": "'{}'::jsonb", "gen_random_uuid()": "gen_random_uuid()",
		"1 PRIMARY KEY": "(1 PRIMARY KEY)", "now() + interval '1 day'": "(now() + interval '1 day')", "'a''b'": "('a''b')", "f() NOT NULL": "(f() NOT NULL)",
	} {
		if got := sqltext.Default(expression); got != want {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
}

func TestCollatable(t *testing.T) {
	for columnType, want := range map[string]bool{
		"text": true, "varchar(3)": true, "CHARACTER VARYING": true, "char(2)": true, "text[]": true, "bigint": false, "citext": false, `"text"`: false,
	} {
		if got := sqltext.Collatable(columnType); got != want {
			t.Errorf("%s: got %v", columnType, got)
		}
	}
}

// TestLexicalRules: what PostgreSQL's lexer makes of a text decides, not what it looks like.
func TestLexicalRules(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"shop$price", `U&"my type"`, "a$b(3)"} {
		if err := sqltext.CheckType(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"numeric(1..2)", "a$b c$d $1", "1abc", "numeric(3not null)"} {
		if err := sqltext.CheckType(bad); err == nil {
			t.Errorf("%q passes as a type", bad)
		}
	}
	for _, good := range []string{"f$1(2)", "0x1F + 1_000", "x'1F'", "1.5e-3", "'a'||'b'"} {
		if err := sqltext.CheckExpression(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"1abc", "1e5e'a'", "$a$x$a$", "a $b", "1$1", `U&"a`, "x'1"} {
		if err := sqltext.CheckExpression(bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
