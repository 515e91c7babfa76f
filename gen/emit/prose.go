package emit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// LineWidth is where comment lines end.
const LineWidth = 120

// Comment wraps paragraphs into a Go comment, with an empty line between two of them.
func Comment(paragraphs ...string) jen.Code {
	var lines []string
	for i, p := range paragraphs {
		if i > 0 {
			lines = append(lines, "//")
		}
		lines = append(lines, wrap(p, "// ", LineWidth)...)
	}
	return jen.Comment(strings.Join(lines, "\n"))
}

// wrap breaks a text at its spaces into lines of at most width columns, each behind the prefix.
func wrap(text, prefix string, width int) []string {
	var lines []string
	line := prefix
	for i, w := range strings.Fields(text) {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
			lines, line = append(lines, line), prefix
		}
		if line != prefix {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}

// Enumerate writes a list as prose: a, b and c.
func Enumerate(items []string) string {
	if len(items) == 1 {
		return items[0]
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

func isIdentRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
