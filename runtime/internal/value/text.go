package value

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Storable returns text in a form that a text column of any database can hold, whatever it says, in at most limit bytes:
// what cannot be stored would keep the failure that it tells of from being recorded.
func Storable(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(cut(text, limit), "\uFFFD"), "\x00", "\uFFFD")
	return cut(text, limit) // what was replaced may have grown
}

// cut returns what there is room for of text, not cut within a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for n := limit; n > max(0, limit-utf8.UTFMax); n-- {
		if utf8.RuneStart(text[n]) {
			return text[:n]
		}
	}
	return text[:limit] // it is no UTF-8
}

// ASCII returns text quoted, for a database whose encoding may lack one of its characters: the failure matters more than
// its wording.
func ASCII(text string) string { return strconv.QuoteToASCII(text) }
