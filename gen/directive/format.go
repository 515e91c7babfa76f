package directive

import (
	"strconv"
	"strings"
	"unicode"
)

// Format writes a directive in its canonical form: the name first, the arguments in the order of the
// registry, quotes only where they are needed.
func Format(d *Directive) string {
	words := []string{"//" + tool + ":" + d.Spec.Name}
	if d.Node != nil {
		words = append(words, quoteToken(d.Node.Text))
	}
	for _, a := range d.Args {
		word := a.Param.Name
		if a.Param.Kind != Flag {
			word += "=" + a.Text
		}
		words = append(words, quoteToken(word))
	}
	return strings.Join(words, " ")
}

// quoteToken quotes a word when it would not be read back as it is.
func quoteToken(word string) string {
	plain := word != "" && !strings.ContainsAny(word, "\"`") && !strings.HasPrefix(word, "//") &&
		strings.IndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) < 0
	if plain {
		return word
	}
	return strconv.Quote(word)
}
