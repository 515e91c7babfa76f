package resolve

import (
	"strings"
	"unicode"
)

// Snake writes a Go name in Snake case: UserID is user_id, HTTPServer is http_server, OrderIDs is
// order_ids.
func Snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, c := range runes {
		afterLower := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]))
		beforeLower := i > 0 && unicode.IsUpper(runes[i-1]) && startsWord(runes[i+1:])
		if unicode.IsUpper(c) && (afterLower || beforeLower) && runes[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// startsWord reports whether the letters behind a capital make a word of it: more than a plural's s.
func startsWord(rest []rune) bool {
	if len(rest) == 0 || !unicode.IsLower(rest[0]) {
		return false
	}
	return rest[0] != 's' || len(rest) > 1 && unicode.IsLower(rest[1])
}
