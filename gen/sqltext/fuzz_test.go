package sqltext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idem-go/idem/gen/sqltext"
)

// FuzzCheckExpression puts every accepted expression where the generator puts it, and reads the statement
// as the server's lexer would: it is one statement, and the marks around the expression belong together.
func FuzzCheckExpression(f *testing.F) {
	for _, seed := range []string{"now()", "'it''s'", "E'\\'", "E'\\\\'", "e'a''", "u&'x'", "1;", "a--b", "/*", "$a$;$a$", "x'", "(", ")", "','", "\"'\"", "é'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		if sqltext.CheckExpression(expression) != nil {
			return
		}
		level, ok := levelAtEnd("COALESCE($1::text, " + expression)
		if !ok || level != 1 {
			t.Errorf("%q leaves its place", expression)
		}
	})
}

// FuzzCheckType does the same for types, which stand in casts and column definitions.
func FuzzCheckType(f *testing.F) {
	for _, seed := range []string{"bigint", "numeric(12,2)", `"a""b"`, "text)", "text[", "text--", "e'x'", "0- -", "numeric(5,-2)", "a(- -1)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, columnType string) {
		if sqltext.CheckType(columnType) != nil {
			return
		}
		for _, text := range []string{columnType, sqltext.ParameterType(columnType)} {
			if level, ok := levelAtEnd("f($1::" + text); !ok || level != 1 {
				t.Errorf("%q leaves its place as %q", columnType, text)
			}
		}
	})
}

// FuzzQuote reads quoted names back.
func FuzzQuote(f *testing.F) {
	f.Add(`a"b`)
	f.Add("a\x00\"")
	f.Fuzz(func(t *testing.T, name string) {
		quoted := sqltext.Quote(name)
		inner := strings.TrimSuffix(strings.TrimPrefix(quoted, `"`), `"`)
		if strings.Count(strings.ReplaceAll(inner, `""`, ""), `"`) > 0 || len(quoted) < 2 {
			t.Errorf("%q is quoted as %s", name, quoted)
		}
		if back := strings.ReplaceAll(inner, `""`, `"`); back != strings.ReplaceAll(name, "\x00", "") {
			t.Errorf("%q reads back as %q", name, back)
		}
	})
}

// levelAtEnd gives how many brackets are open at the end of a text, read byte by byte. It reports false when
// a bracket closes the first one, when a comma stands directly in it after its own, or when the text ends
// inside quotes or holds what ends a statement or hides a part of it.
func levelAtEnd(sql string) (level int, ok bool) {
	commas := 0
	for i := 0; i < len(sql); i++ {
		switch c := sql[i]; c {
		case '(', '[':
			level++
		case ')', ']':
			if level--; level < 1 {
				return 0, false
			}
		case ',':
			if level == 1 {
				commas++
			}
		case ';', '\n', '\r', 0:
			return 0, false
		case '-', '/':
			if strings.HasPrefix(sql[i:], "--") || strings.HasPrefix(sql[i:], "/*") {
				return 0, false
			}
		case '\'', '"':
			end := closing(sql, i, c)
			if end < 0 {
				return 0, false
			}
			i = end
		}
	}
	return level, commas <= 1 && utf8.ValidString(sql)
}

func closing(sql string, start int, quote byte) int {
	escapes := quote == '\'' && start > 0 && (sql[start-1] == 'e' || sql[start-1] == 'E') && (start < 2 || !wordByte(sql[start-2]))
	for i := start + 1; i < len(sql); i++ {
		switch {
		case escapes && sql[i] == '\\':
			i++
		case sql[i] == quote && i+1 < len(sql) && sql[i+1] == quote:
			i++
		case sql[i] == quote:
			return i
		}
	}
	return -1
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// TestSignsInTypes: a sign stands before a limit, and nowhere else. Two of them would begin a comment once the space
// between them is gone.
func TestSignsInTypes(t *testing.T) {
	t.Parallel()
	if err := sqltext.CheckType("numeric(5,-2)"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"0- -", "text- -", "text -", "numeric(5,- -2)", "a(1-2)"} {
		if sqltext.CheckType(bad) == nil {
			t.Errorf("%q passes as a type", bad)
		}
	}
}
