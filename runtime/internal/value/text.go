package value

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Storable returns text in a form that a text column of any database can hold, whatever it says, in at most limit bytes:
// what cannot be stored would keep the failure that it tells of from being recorded.
func Storable(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) { // not within a character
		limit--
	}
	return text[:limit]
}

// ASCII returns text quoted, for a database whose encoding may lack one of its characters: the failure matters more than
// its wording.
func ASCII(text string) string { return strconv.QuoteToASCII(text) }
