package sqltext

import "strings"

// kind is the kind of a token.
type kind int

const (
	word        kind = iota // a bare identifier or keyword; text is folded to lower case
	quoted                  // a quoted identifier; text without the quotes
	literal                 // a string constant of any form
	number                  // a numeric constant
	placeholder             // $1, ?, :name, @name
	symbol                  // a single byte of anything else
)

// token is one lexical element; comments and white space are none.
type token struct {
	kind kind
	text string
	pos  int // byte offset
	end  int
}

// is tells whether the token is this keyword or symbol.
func (t token) is(text string) bool {
	return (t.kind == word || t.kind == symbol) && t.text == text
}

// name tells whether the token can name a table or a column.
func (t token) name() bool { return t.kind == word || t.kind == quoted }

// tokenize splits a text.
func tokenize(text string) []token {
	var tokens []token
	for at := 0; at < len(text); {
		if end := skip(text, at); end > at {
			at = end
			continue
		}
		t := next(text, at)
		tokens = append(tokens, t)
		at = t.end
	}
	return tokens
}

// skip gives the end of the white space or the comment at the offset.
func skip(text string, at int) int {
	rest := text[at:]
	switch {
	case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
		return at + 1
	case strings.HasPrefix(rest, "--"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return at + end + 1
		}
		return len(text)
	case strings.HasPrefix(rest, "/*"):
		return at + commentLength(rest)
	}
	return at
}

// commentLength measures a block comment. PostgreSQL nests them.
func commentLength(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

func next(text string, at int) token {
	rest := text[at:]
	c := rest[0]
	until := func(n int, k kind) token { return token{k, rest[:n], at, at + n} }
	switch {
	case c == '\'':
		return until(quotedLength(rest, '\'', false), literal)
	case (c == 'e' || c == 'E') && strings.HasPrefix(rest[1:], "'"):
		return until(1+quotedLength(rest[1:], '\'', true), literal)
	case c == '"' || c == '`':
		n := quotedLength(rest, c, false)
		return token{quoted, strings.Trim(rest[:n], string(c)), at, at + n}
	case c == '$':
		return dollar(rest, at)
	case c == '?':
		return until(1, placeholder)
	case (c == ':' || c == '@') && len(rest) > 1 && isLetter(rest[1]):
		return until(1+wordLength(rest[1:]), placeholder)
	case c == ':' && strings.HasPrefix(rest, "::"):
		return until(2, symbol)
	case isLetter(c):
		n := wordLength(rest)
		return token{word, strings.ToLower(rest[:n]), at, at + n}
	case isDigit(c):
		return until(wordLength(rest), number)
	}
	return until(1, symbol)
}

// dollar reads $1 or a dollar-quoted string.
func dollar(rest string, at int) token {
	n := 1
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	if n > 1 {
		return token{placeholder, rest[:n], at, at + n}
	}
	tag := 1 + wordLength(rest[1:])
	if tag < len(rest) && rest[tag] == '$' {
		open := rest[:tag+1]
		if end := strings.Index(rest[len(open):], open); end >= 0 {
			n = 2*len(open) + end
			return token{literal, rest[:n], at, at + n}
		}
		return token{literal, rest, at, at + len(rest)}
	}
	return token{symbol, "$", at, at + 1}
}

// quotedLength measures a quoted piece with its quotes; a doubled quote stands for itself.
func quotedLength(s string, quote byte, backslash bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case backslash && s[i] == '\\':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

func wordLength(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
