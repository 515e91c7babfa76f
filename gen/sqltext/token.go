package sqltext

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/idem-go/idem/internal/sqltoken"
)

type tokenKind int

const (
	word    tokenKind = iota // keyword, name or number
	quoted                   // "name"
	literal                  // 'text', with its prefix
	symbol                   // anything else
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
	scanner := sqltoken.Scanner{Text: s}
	var before sqltoken.Token
	for t, ok := scanner.Next(); ok; t, ok = scanner.Next() {
		if err := admit(t, t.In(s)); err != nil {
			return nil, err
		}
		spaced := t.Start > before.End
		if !spaced && runsOn(before, t) {
			return nil, fmt.Errorf("the number %s runs into %s", before.In(s), t.In(s))
		}
		found = append(found, token{kind: kinds[t.Kind], text: t.In(s), spaced: spaced})
		before = t
	}
	return found, nil
}

// kinds are what the checks tell apart; all others are symbols.
var kinds = [...]tokenKind{
	sqltoken.Word: word, sqltoken.Number: word, sqltoken.Name: quoted, sqltoken.String: literal, sqltoken.Bits: literal,
	sqltoken.Operator: symbol, sqltoken.Special: symbol, sqltoken.Other: symbol,
}

// admit says why a token has no place in a fragment.
func admit(t sqltoken.Token, text string) error {
	switch {
	case t.Kind == sqltoken.Comment:
		return errors.New("it holds a comment")
	case text == ";":
		return errors.New("it holds a semicolon")
	case text[0] == '$':
		return errors.New("it holds a $: parameters and dollar quotes have no place here")
	case text == `\`:
		return errors.New("it holds a backslash outside quotes")
	case t.Open && t.Kind == sqltoken.Name:
		return errors.New(`the quote " is not closed`)
	case t.Open:
		return errors.New("the quote ' is not closed")
	}
	return nil
}

// runsOn reports whether a token stands directly behind a number that it might be taken for a part of: servers before
// PostgreSQL 15 part them, later ones refuse them.
func runsOn(before, t sqltoken.Token) bool {
	return before.Kind == sqltoken.Number && (t.Kind == sqltoken.Word || t.Kind == sqltoken.String || t.Kind == sqltoken.Bits)
}
