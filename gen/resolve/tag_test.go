package resolve

import (
	"strings"
	"testing"

	"github.com/idem-go/idem/gen/sqltext"
)

func TestParseTagValue(t *testing.T) {
	tests := map[string]columnTag{
		"":                        {},
		"-":                       {Skip: true},
		"name":                    {Name: "name"},
		"a b":                     {Name: "a b"},
		"n,type:numeric(12,2)":    {Name: "n", Type: "numeric(12,2)"},
		",default:now(),identity": {Default: "now()", Identity: true},
		"n,default:f('a,)', (1))": {Name: "n", Default: "f('a,)', (1))"},
		`n,type:"a,b"`:            {Name: "n", Type: `"a,b"`},
		"n, type: text ":          {Name: "n", Type: "text"},
		"n,default:'it''s, ok'":   {Name: "n", Default: "'it''s, ok'"},
		"-,identity":              {Name: "-", Identity: true},
		"n,default:a::int":        {Name: "n", Default: "a::int"},
		"n,default:ARRAY[1,2]":    {Name: "n", Default: "ARRAY[1,2]"},
	}
	for value, want := range tests {
		got, wrong := parseTagValue(value)
		got.places, got.Present = nil, false
		if got.Name != want.Name || got.Type != want.Type || got.Default != want.Default || got.Identity != want.Identity || got.Skip != want.Skip || len(wrong) > 0 {
			t.Errorf("%q is %+v, %v; want %+v", value, got, wrong, want)
		}
	}
}

func TestSnake(t *testing.T) {
	tests := map[string]string{
		"ID": "id", "UserID": "user_id", "IDs": "ids", "OrderIDs": "order_ids", "URLsSeen": "urls_seen", "HTTPServer": "http_server",
		"ChargedAt": "charged_at", "A": "a", "X509Cert": "x509_cert", "Line2": "line2", "Line2Text": "line2_text",
		"With_Underscore": "with_underscore", "lower": "lower", "IsOK": "is_ok", "IsSet": "is_set", "ÄrgerID": "ärger_id",
	}
	for name, want := range tests {
		if got := Snake(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// FuzzTag looks for a tag whose type or default is accepted and does not stay where it is put.
func FuzzTag(f *testing.F) {
	for _, seed := range []string{
		"n,type:numeric(12,2)", "n,default:now()", "n,default:'a;b'", "n,default:E'a\\'; --'", "n,default:1; DROP TABLE x", "n,default:$$;$$",
		`n,type:"a;b"`, "n,default:(1))--", "n,default:'a' /* ' */", "n,type:text[]", "n,default:1 -- x\n", "n,default:U&'\\'", "n,default:a'b\\';'",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		tag, wrong := parseTagValue(value)
		if len(wrong) > 0 {
			return
		}
		if tag.Type != "" && sqltext.CheckType(tag.Type) == nil && escapes(tag.Type) {
			t.Errorf("the type %q is accepted and escapes", tag.Type)
		}
		if tag.Default != "" && sqltext.CheckExpression(tag.Default) == nil && escapes(tag.Default) {
			t.Errorf("the default %q is accepted and escapes", tag.Default)
		}
	})
}

// escapes reads an SQL fragment as Postgres does, and reports whether something in it could end the
// statement, close a parenthesis of the statement, or swallow what stands behind it. It is written apart
// from the checks that it watches over.
func escapes(sql string) bool {
	depth := 0
	for i := 0; i < len(sql); i++ {
		rest := sql[i:]
		switch c := sql[i]; {
		case c == '\'' || c == '"':
			escaped := c == '\'' && i > 0 && (sql[i-1] == 'e' || sql[i-1] == 'E') && (i == 1 || !isWordByte(sql[i-2]))
			end := closing(rest, c, escaped)
			if end < 0 {
				return true
			}
			i += end
		case c == ';' || c == '$' || c == 0 || c == '\n' || strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*"):
			return true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return depth != 0
}

// closing gives the place of the quote that closes the one at the start, or -1.
func closing(text string, quote byte, escaped bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case escaped && text[i] == '\\':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i
		}
	}
	return -1
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
