package resolve

import (
	"strings"
	"unicode"
)

// snake writes a Go name in snake case: UserID is user_id, HTTPServer is http_server.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, c := range runes {
		afterLower := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]))
		beforeLower := i > 0 && i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(c) && (afterLower || beforeLower) && runes[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
