package sqltext

import (
	"strings"

	"github.com/idem-go/idem/internal/sqltoken"
)

// kind is the kind of a token.
type kind int

const (
	word        kind = iota // a bare identifier or keyword; text is folded to lower case
	quoted                  // a quoted identifier; text without the quotes
	literal                 // a string constant of any form
	number                  // a numeric constant
	placeholder             // $1, ?, :name, @name
	symbol                  // a single byte of anything else, or ::
)

// token is one lexical element; comments and white space are none.
type token struct {
	kind kind
	text string
	pos  int // byte offset
	end  int
}

// is reports whether the token is this keyword or symbol.
func (t token) is(text string) bool {
	return (t.kind == word || t.kind == symbol) && t.text == text
}

// name reports whether the token can name a table or a column.
func (t token) name() bool { return t.kind == word || t.kind == quoted }

// tokenize splits a text as PostgreSQL does, but for what drivers and other databases put into it: the placeholders
// ?, :name and @name, and names in backquotes.
func tokenize(text string) []token {
	l := lexer{scanner: sqltoken.Scanner{Text: text}}
	for t, ok := l.scanner.Next(); ok; t, ok = l.scanner.Next() {
		l.add(t)
	}
	return l.tokens
}

type lexer struct {
	scanner sqltoken.Scanner
	tokens  []token
}

// add takes a token of PostgreSQL over.
func (l *lexer) add(t sqltoken.Token) {
	text := t.In(l.scanner.Text)
	switch t.Kind {
	case sqltoken.Comment:
	case sqltoken.Word:
		l.append(word, strings.ToLower(text), t.Start, t.End)
	case sqltoken.Name:
		l.append(quoted, unquoted(text), t.Start, t.End)
	case sqltoken.String, sqltoken.Dollar, sqltoken.Bits:
		l.append(literal, text, t.Start, t.End)
	case sqltoken.Number:
		l.append(number, text, t.Start, t.End)
	case sqltoken.Param:
		l.append(placeholder, text, t.Start, t.End)
	default:
		if text == "::" {
			l.append(symbol, text, t.Start, t.End)
			return
		}
		l.symbols(t)
	}
}

func (l *lexer) append(k kind, text string, pos, end int) {
	l.tokens = append(l.tokens, token{k, text, pos, end})
}

// symbols parts the characters of an operator, and finds the placeholder or the name that one of them begins. What
// stands behind it is scanned anew.
func (l *lexer) symbols(t sqltoken.Token) {
	text := l.scanner.Text
	for pos := t.Start; pos < t.End; pos++ {
		switch c := text[pos]; c {
		case '?':
			l.append(placeholder, "?", pos, pos+1)
		case '`':
			l.backquoted(pos)
			return
		case ':', '@':
			if l.named(pos) {
				return
			}
			l.append(symbol, text[pos:pos+1], pos, pos+1)
		default:
			l.append(symbol, text[pos:pos+1], pos, pos+1)
		}
	}
}

// backquoted takes a name of MySQL.
func (l *lexer) backquoted(pos int) {
	text := l.scanner.Text
	end := len(text)
	if length := strings.IndexByte(text[pos+1:], '`'); length >= 0 {
		end = pos + 1 + length + 1
	}
	l.append(quoted, strings.Trim(text[pos:end], "`"), pos, end)
	l.scanner.Pos = end
}

// named takes the placeholder :name or @name at pos, if it is one.
func (l *lexer) named(pos int) bool {
	next := sqltoken.Scanner{Text: l.scanner.Text, Pos: pos + 1}
	t, ok := next.Next()
	if !ok || t.Kind != sqltoken.Word || t.Start != pos+1 {
		return false
	}
	l.append(placeholder, l.scanner.Text[pos:t.End], pos, t.End)
	l.scanner.Pos = t.End
	return true
}

// unquoted is the name in quotes, in which a doubled quote stands for one.
func unquoted(text string) string {
	name := text[strings.IndexByte(text, '"')+1:]
	return strings.ReplaceAll(strings.TrimSuffix(name, `"`), `""`, `"`)
}
