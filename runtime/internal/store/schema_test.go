package store

import (
	"reflect"
	"strings"
	"testing"
)

func TestIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, sql, want string }{
		{"idem", `SELECT 1 FROM "idem".steps`, `SELECT 1 FROM "idem".steps`},
		{"Jobs", `SELECT "idem".f() FROM "idem".steps`, `SELECT "Jobs".f() FROM "Jobs".steps`},
		{"two words", `"idem".steps`, `"two words".steps`},
		{`a"b`, `"idem".steps`, `"a""b".steps`},
		{`"idem"`, `"idem".steps`, `"""idem""".steps`},
		{"a\x00b", `"idem".steps`, `"ab".steps`},
		{"", `"idem".steps`, `"".steps`},
		{"$1", `"idem".steps`, `"$1".steps`},
		{"jobs", `SELECT 'idem', idem.x, "idem_key", "IDEM" FROM t`, `SELECT 'idem', idem.x, "idem_key", "IDEM" FROM t`},
		{"jobs", ``, ``},
	} {
		if got := In(c.schema, c.sql); got != c.want {
			t.Errorf("in %q: %s, want %s", c.schema, got, c.want)
		}
	}
}

// Each statement is for its schema, and all of it.
func TestStatementsAreInTheirSchema(t *testing.T) {
	t.Parallel()
	of := reflect.ValueOf(*NewStatements(`my "jobs"`))
	for i := range of.NumField() {
		name, sql := of.Type().Field(i).Name, of.Field(i).String()
		switch {
		case name == "Notify", name == "Channel":
		case strings.Contains(sql, `"idem"`) || !strings.Contains(sql, `"my ""jobs"""`):
			t.Errorf("%s is %q", name, sql)
		}
	}
}

// Postgres cuts a channel's name at 63 bytes; two schemas must not share one.
func TestChannel(t *testing.T) {
	t.Parallel()
	fifty := strings.Repeat("s", 50)
	for schema, want := range map[string]string{
		"": "idem_idem", "idem": "idem_idem", "jobs": "idem_jobs", "Jobs": "idem_Jobs", `a"b`: `idem_a"b`, fifty: "idem_" + fifty,
	} {
		if got := Channel(schema); got != want {
			t.Errorf("of %q: %q, want %q", schema, got, want)
		}
	}
	seen := map[string]string{}
	for _, schema := range []string{fifty, fifty + "s", fifty + "t", strings.Repeat("s", 63), strings.Repeat("é", 25), strings.Repeat("é", 26)} {
		channel := Channel(schema)
		if len(channel) > 63 || !strings.HasPrefix(channel, "idem_") || channel != Channel(schema) {
			t.Errorf("of %q: %q", schema, channel)
		}
		if other, taken := seen[channel]; taken {
			t.Errorf("%q and %q have the channel %q", schema, other, channel)
		}
		seen[channel] = schema
	}
}
