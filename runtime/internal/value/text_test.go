package value

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStorable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want [5]string // for limits from 0 to 4
	}{
		{"", [5]string{}},
		{"abcde", [5]string{"", "a", "ab", "abc", "abcd"}},
		{"é", [5]string{"", "", "é", "é", "é"}},
		{"€", [5]string{"", "", "", "€", "€"}},
		{"𝄞", [5]string{"", "", "", "", "𝄞"}},
		{"aéb", [5]string{"", "a", "a", "aé", "aéb"}},
		{"a€b", [5]string{"", "a", "a", "a", "a€"}},
		{"\x00", [5]string{"", "", "", "\uFFFD", "\uFFFD"}},
		{"a\x00b", [5]string{"", "a", "a", "a", "a\uFFFD"}},
		{"\xff", [5]string{"", "", "", "\uFFFD", "\uFFFD"}},
		{"a\xff\xfe\x80b", [5]string{"", "a", "a", "a", "a\uFFFD"}},
		{"\x80\x80\x80\x80\x80\x80", [5]string{"", "", "", "\uFFFD", "\uFFFD"}},
		{"a\xe2\x82", [5]string{"", "a", "a", "a", "a\uFFFD"}}, // half a character
		{"\uFFFD", [5]string{"", "", "", "\uFFFD", "\uFFFD"}},
	} {
		for limit, want := range c.want {
			if got := Storable(c.text, limit); got != want {
				t.Errorf("%q in %d bytes is %q, want %q", c.text, limit, got, want)
			}
		}
	}
}

// Whatever a text says, its stored form is within the limit, valid, free of NUL, and a prefix of what a larger limit gives.
func FuzzStorable(f *testing.F) {
	for _, text := range []string{"", "plain", "a\x00b", "\xff\xff\xff", "𝄞\xe2\x82", strings.Repeat("€", 20)} {
		f.Add(text, uint8(7))
	}
	f.Fuzz(func(t *testing.T, text string, limit uint8) {
		got := Storable(text, int(limit))
		switch {
		case len(got) > int(limit), !utf8.ValidString(got), strings.ContainsRune(got, 0):
			t.Errorf("%q in %d bytes is %q", text, limit, got)
		case !strings.HasPrefix(Storable(text, 3*len(text)), got):
			t.Errorf("%q in %d bytes is %q, which is not how the whole begins", text, limit, got)
		}
	})
}

func TestASCII(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": `""`, "plain": `"plain"`, "é\x00\xff\n\"": `"\u00e9\x00\xff\n\""`} {
		if got := ASCII(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
