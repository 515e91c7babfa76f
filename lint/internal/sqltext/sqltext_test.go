package sqltext

import (
	"reflect"
	"testing"
)

func TestInsert(t *testing.T) {
	tests := []struct {
		text  string
		table string
		binds map[string][]int
	}{
		{`INSERT INTO t (a, b) VALUES ($2, $1)`, "t", map[string][]int{"a": {1}, "b": {0}}},
		{`insert into "App"."T" as x ("A", b) values ($1::text, now()), ($2, COALESCE($3, 1))`, "t", map[string][]int{"a": {0, 1}, "b": {2}}},
		{`INSERT INTO t (a, b) VALUES (?, ?)`, "t", map[string][]int{"a": {0}, "b": {1}}},
		{`INSERT INTO t (a, b) SELECT $1, $2 FROM u WHERE c = $3`, "t", map[string][]int{"a": {0}, "b": {1}}},
		{`INSERT INTO t (a, b) VALUES (f($1, $2), $3)`, "t", map[string][]int{"b": {2}}},
		{"/* INSERT INTO no (a) /* deep */ */ -- x\nINSERT INTO t (a) VALUES ('$1', $1)", "t", map[string][]int{}},
		{`INSERT INTO t (a) VALUES (:key)`, "t", map[string][]int{}},
		{`INSERT INTO t DEFAULT VALUES`, "t", map[string][]int{}},
	}
	for _, tt := range tests {
		list := Parse(tt.text)
		if len(list) != 1 {
			t.Errorf("%s: %d statements", tt.text, len(list))
			continue
		}
		if s := list[0]; s.Verb != "INSERT" || s.Table != tt.table || !reflect.DeepEqual(s.Binds, tt.binds) {
			t.Errorf("%s: %s %s %v", tt.text, s.Verb, s.Table, s.Binds)
		}
	}
}

func TestNamed(t *testing.T) {
	s := Parse(`INSERT INTO t (a, b) VALUES (:key, @other::text)`)[0]
	if want := map[string][]string{"a": {"key"}, "b": {"other"}}; !reflect.DeepEqual(s.Named, want) {
		t.Errorf("%v", s.Named)
	}
}

func TestConflict(t *testing.T) {
	text := `INSERT INTO t (a, b, c) VALUES ($1, $2, $3) ON CONFLICT (a, "B") DO UPDATE SET c = t.c + EXCLUDED.c, d = $3 WHERE t.e <> EXCLUDED.e RETURNING id`
	s := Parse(text)[0]
	c := s.Conflict
	if c == nil || !reflect.DeepEqual(c.Target, []string{"a", "b"}) || c.Nothing || !s.Returns || len(c.Where) == 0 {
		t.Fatalf("%+v %+v", s, c)
	}
	if text[c.Start:c.End] != `(a, "B")` {
		t.Errorf("the target is at %q", text[c.Start:c.End])
	}
	if len(s.Set) != 2 || !s.Set[0].Relative || s.Set[1].Relative || !s.Set[1].Incoming {
		t.Errorf("%+v", s.Set)
	}
	for text, want := range map[string]Conflict{
		`INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING`:                          {Nothing: true},
		`INSERT INTO t (a) VALUES (1) ON CONFLICT ON CONSTRAINT t_key DO NOTHING`:      {Nothing: true, Constraint: "t_key"},
		`INSERT INTO t (a) VALUES (1) ON CONFLICT (lower(a)) DO NOTHING`:               {Nothing: true, Expression: true, Start: 41, End: 51},
		`INSERT INTO t (a) VALUES (1) ON CONFLICT (a) WHERE b DO NOTHING`:              {Nothing: true, Partial: true, Target: []string{"a"}, Start: 41, End: 44},
		`INSERT INTO t (a) SELECT 1 FROM u WHERE true ON CONFLICT (a) DO NOTHING`:      {Nothing: true, Target: []string{"a"}, Start: 57, End: 60},
		"INSERT INTO t (a) VALUES ($tag$ON CONFLICT$tag$) ON CONFLICT (a) DO NOTHING;": {Nothing: true, Target: []string{"a"}, Start: 61, End: 64},
	} {
		if got := Parse(text)[0].Conflict; got == nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestRelative(t *testing.T) {
	tests := map[string]bool{
		`UPDATE t SET n = n + 1`:                                true,
		`UPDATE t SET n = t.n - $1 WHERE id = 2`:                true,
		`UPDATE app.t AS x SET m = 1, n = 1 + COALESCE(x.n, 0)`: true,
		`UPDATE t SET n = GREATEST(n, n + 1)`:                   false,
		`UPDATE t SET n = m + 1`:                                false,
		`UPDATE t SET n = 'n + 1'`:                              false,
		`UPDATE t SET n = EXCLUDED.n + 1`:                       false,
		`UPDATE t SET n = $1`:                                   false,
	}
	for text, want := range tests {
		got := false
		for _, a := range Parse(text)[0].Set {
			got = got || a.Relative
		}
		if got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func TestVerbs(t *testing.T) {
	tests := map[string][]string{
		" COMMIT;":        {"COMMIT"},
		"begin; select 1": {"BEGIN", "SELECT"},
		"WITH a AS (DELETE FROM x RETURNING *), b AS (INSERT INTO y (c) SELECT c FROM a) SELECT 1": {"DELETE", "INSERT", "SELECT"},
		"COPY t FROM STDIN":                 {"COPY"},
		"COPY t TO STDOUT":                  {"COPY TO"},
		"PREPARE TRANSACTION 'x'":           {"PREPARE TRANSACTION"},
		"CREATE TEMP TABLE t (a int)":       {"CREATE TEMP"},
		"":                                  nil,
		"-- nothing":                        nil,
		`SELECT 'it''s; BEGIN', E'\'; END'`: {"SELECT"},
	}
	for text, want := range tests {
		var got []string
		for _, s := range Parse(text) {
			got = append(got, s.Verb)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = $1 WHERE x", "WITH (", "((((", "$$", "$x$", "'", `"`, "/*", "E'\\", "INSERT", "insert into (", "values (",
		"UPDATE t SET", "ON CONFLICT (", "copy", ";", "a.b.c.", ":x", "?",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range Parse(text) {
			if c := s.Conflict; s.End > len(text) || c != nil && (c.Start > c.End && c.End != 0 || c.End > len(text)) {
				t.Errorf("%q: offsets beyond the text", text)
			}
		}
	})
}

// TestLexicalRules: PostgreSQL's lexer decides where a token ends.
func TestLexicalRules(t *testing.T) {
	for text, table := range map[string]string{
		"-- x\rINSERT INTO t (a) VALUES ($1)":             "t",
		"INSERT INTO a$b (a) VALUES ($1)":                 "a$b",
		`INSERT INTO "a""b" (a) VALUES ($1)`:              `a"b`,
		`INSERT INTO shop.U&"t" (a) VALUES ($1)`:          "t",
		"INSERT INTO t (b, a) VALUES (E'x'\n'\\'', $1)":   "t",
		"INSERT INTO t (b, a) VALUES (X'1F'||B'0', $1)":   "t",
		"INSERT INTO t (b, a) VALUES (1.5e-3+0x1F, $1)":   "t",
		"INSERT INTO t (b, a) VALUES ($é$'; $ $é$, $1)":   "t",
		"INSERT INTO t (b, a) VALUES (U&'\\'||N'\\', $1)": "t",
	} {
		list := Parse(text)
		if len(list) != 1 || list[0].Table != table || !reflect.DeepEqual(list[0].Binds["a"], []int{0}) {
			t.Errorf("%q: %+v", text, list)
		}
	}
}

// TestForeignTokens: what drivers and other databases put into a statement goes on being found beside operators.
func TestForeignTokens(t *testing.T) {
	show := func(text string) (list []string) {
		for _, tok := range tokenize(text) {
			list = append(list, map[kind]string{word: "", quoted: "q:", literal: "l:", number: "n:", placeholder: "p:", symbol: "s:"}[tok.kind]+tok.text)
			if tok.kind != word && tok.kind != quoted && text[tok.pos:tok.end] != tok.text {
				t.Errorf("%q: %q is at %q", text, tok.text, text[tok.pos:tok.end])
			}
		}
		return list
	}
	for text, want := range map[string][]string{
		"a=@b_1 AND c<>:d":    {"a", "s:=", "p:@b_1", "and", "c", "s:<", "s:>", "p::d"},
		"a=?::int":            {"a", "s:=", "p:?", "s:::", "int"},
		"a=-? || @ b":         {"a", "s:=", "s:-", "p:?", "s:|", "s:|", "s:@", "b"},
		"a=`b--;c`.`d`+1":     {"a", "s:=", "q:b--;c", "s:.", "q:d", "s:+", "n:1"},
		"`b":                  {"q:b"},
		"@'a' :\"b\" :e'\\''": {"s:@", "l:'a'", "s::", "q:b", "s::", "l:e'\\''"},
		"a[1:2] @@x :=y":      {"a", "s:[", "n:1", "s::", "n:2", "s:]", "s:@", "p:@x", "s::", "s:=", "y"},
	} {
		if got := show(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}
