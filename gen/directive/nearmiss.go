package directive

import (
	"go/ast"
	"regexp"
	"strings"

	"github.com/idem-go/idem/gen/diag"
)

// nearMiss matches a comment that was probably meant as a directive of idem: opener, blanks, a tool
// name that begins with idem in any case, a separator, the directive's name, the rest.
var nearMiss = regexp.MustCompile(`^(//|/\*)( *)((?i:idem)(?:[-_]\w+)*)( *[:./] *| +)(\w*)([^\n]*)`)

// reportNearMiss reports a comment that Go does not take for a directive although it was meant as one.
func (r Registry) reportNearMiss(c *ast.Comment, report Reporter) {
	m := nearMiss.FindStringSubmatch(c.Text)
	if m == nil {
		return
	}
	opener, blanks, toolName, separator, word, rest := m[1], m[2], m[3], m[4], m[5], m[6]
	exact := opener == "//" && blanks == "" && toolName == tool && separator == ":"
	if exact && word == "" {
		report(c.Slash, "near-miss", "write one of //idem:"+strings.Join(r.supportedNames(), ", //idem:"), "//idem: names no directive")
		return
	}
	name := r.meant(word, strings.Contains(separator, ":"))
	if !exact && (name == "" || isProse(blanks, separator, rest)) {
		return
	}
	if name == "" {
		name = strings.ToLower(word)
	}
	right := "//" + tool + ":" + name + strings.TrimRight(strings.TrimSuffix(rest, "*/"), " ")
	report(c.Slash, "near-miss", "write "+right, "this comment looks like a directive, but Go reads it as text")
}

// meant returns the directive that a word stands for, or "". Behind a colon a misspelt one counts too.
func (r Registry) meant(word string, colon bool) string {
	name := diag.Suggest(word, r.Names())
	if colon || strings.EqualFold(name, word) {
		return name
	}
	return ""
}

// isProse reports whether a comment is a sentence that mentions idem, and no directive: behind a blank or another separator
// than the colon, a directive has at most one word that is not key=value.
func isProse(blanks, separator, rest string) bool {
	if blanks == "" && strings.Contains(separator, ":") {
		return false
	}
	bare := 0
	for _, w := range strings.Fields(strings.TrimSuffix(rest, "*/")) {
		if !strings.Contains(w, "=") {
			bare++
		}
	}
	return bare > 1 || blanks != "" && !strings.Contains(separator, ":")
}
