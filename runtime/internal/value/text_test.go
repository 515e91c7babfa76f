package value

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStorable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"short":                     {"abc", "abc"},
		"as long as it may be":      {"abcdefgh", "abcdefgh"},
		"too long":                  {"abcdefghi", "abcdefgh"},
		"cut within a character":    {"abcdefg\u00e9", "abcdefg"},
		"cut within a long one":     {"abcde\U0001F600", "abcde"},
		"not UTF-8":                 {"ab\xff\xfecd", "ab\uFFFDcd"},
		"NUL":                       {"a\x00b", "a\uFFFDb"},
		"long and not UTF-8":        {"abc" + strings.Repeat("\x80", 100), "abc\uFFFD"},
		"NULs that grow":            {strings.Repeat("\x00", 8), "\uFFFD\uFFFD"},
		"bytes that grow":           {"\xffa\xffa\xffa\xff", "\uFFFDa\uFFFDa"},
		"nothing":                   {"", ""},
		"all of it but not a start": {strings.Repeat("\x80", 100), "\uFFFD"},
	} {
		got := Storable(c.text, 8)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if len(got) > 8 || !utf8.ValidString(got) {
			t.Errorf("%s: %q cannot be stored in 8 bytes", name, got)
		}
	}
}
