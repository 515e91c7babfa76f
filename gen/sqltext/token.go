package sqltext

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	word    tokenKind = iota // keyword, name or number
	quoted                   // "name"
	literal                  // 'text', with its prefix
	symbol                   // one other character
)

type token struct {
	kind tokenKind
	text string
	// spaced: white space stands before it.
	spaced bool
}

// tokens splits an SQL fragment. It refuses what could end the fragment early or hide its end: statement
// separators, comments, parameters, dollar quotes, backslashes, control characters, open quotes.
func tokens(s string) ([]token, error) {
	if !utf8.ValidString(s) {
		return nil, errors.New("it is not valid UTF-8")
	}
	if i := strings.IndexFunc(s, isControl); i >= 0 {
		r, _ := utf8.DecodeRuneInString(s[i:])
		return nil, fmt.Errorf("it holds the control character %q", r)
	}
	var found []token
	spaced := false
	for s != "" {
		if s[0] == ' ' {
			s, spaced = s[1:], true
			continue
		}
		t, err := next(s)
		if err != nil {
			return nil, err
		}
		s = s[len(t.text):]
		t.spaced, spaced = spaced, false
		found = append(found, t)
	}
	return found, nil
}

func next(s string) (token, error) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case strings.HasPrefix(s, "--"), strings.HasPrefix(s, "/*"):
		return token{}, errors.New("it holds a comment")
	case r == ';':
		return token{}, errors.New("it holds a semicolon")
	case r == '$':
		return token{}, errors.New("it holds a $: parameters and dollar quotes have no place here")
	case r == '\\':
		return token{}, errors.New("it holds a backslash outside quotes")
	case r == '"':
		return quotedToken(quoted, s, 0, '"', false)
	case r == '\'':
		return quotedToken(literal, s, 0, '\'', false)
	case isWord(r):
		return wordToken(s)
	}
	return token{kind: symbol, text: s[:size]}, nil
}

func isWord(r rune) bool {
	return r == '_' || r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// wordToken reads a word, or the literal that a word such as E is the prefix of.
func wordToken(s string) (token, error) {
	end := strings.IndexFunc(s, func(r rune) bool { return !isWord(r) })
	if end < 0 {
		end = len(s)
	}
	if strings.HasPrefix(s[end:], "'") {
		if unicode.IsDigit(rune(s[0])) {
			return token{}, errors.New("a number stands directly before a quote")
		}
		return quotedToken(literal, s, end, '\'', strings.EqualFold(s[:end], "e"))
	}
	return token{kind: word, text: s[:end]}, nil
}

// quotedToken reads up to the closing quote of the one at start. A doubled quote stands for itself, and
// with escapes a backslash takes the next character along.
func quotedToken(kind tokenKind, s string, start int, quote rune, escapes bool) (token, error) {
	for i := start + 1; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		after := i + size
		switch {
		case escapes && r == '\\' && after < len(s):
			_, size = utf8.DecodeRuneInString(s[after:])
			i = after + size
		case r == quote && strings.HasPrefix(s[after:], string(quote)):
			i = after + 1
		case r == quote:
			return token{kind: kind, text: s[:after]}, nil
		default:
			i = after
		}
	}
	return token{}, fmt.Errorf("the quote %c is not closed", quote)
}
