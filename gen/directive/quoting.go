package directive

import (
	"fmt"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quotingIsRight finds the quotes that [ast.Directive.ParseArgs] lets through, or refuses without a
// position: those inside a word, those that nothing closes, and those that text follows. A word with
// such a quote makes the rest of the line doubtful, so it ends the reading of the directive.
func (p *reading) quotingIsRight() bool {
	args := p.raw.Args
	for at := 0; at < len(args); {
		rest := args[at:]
		if r, size := utf8.DecodeRuneInString(rest); unicode.IsSpace(r) {
			at += size
			continue
		}
		if strings.HasPrefix(rest, "//") {
			return true // a trailing comment: reported as such, its quotes do not matter
		}
		pos := p.raw.ArgsPos + token.Pos(at)
		if rest[0] != '"' && rest[0] != '`' {
			word := rest[:wordLength(rest)]
			if i := strings.IndexAny(word, "\"`"); i >= 0 {
				p.add(pos+token.Pos(i), "quoting", quoteWholeFix(rest, i), "a quote inside a word does not quote")
				return false
			}
			at += len(word)
			continue
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			p.add(pos, "quoting", "close it with "+rest[:1], "the quoted word is not closed, or has a bad escape")
			return false
		}
		at += len(quoted)
		if after := args[at:]; wordLength(after) > 0 {
			p.add(p.raw.ArgsPos+token.Pos(at), "quoting", "put the quotes around the whole word", "text follows a closing quote")
			return false
		}
	}
	return true
}

func wordLength(text string) int {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return i
	}
	return len(text)
}

// quoteWholeFix rewrites table="my ledger" as "table=my ledger".
func quoteWholeFix(text string, quote int) string {
	fix := "quote the whole argument"
	quoted, err := strconv.QuotedPrefix(text[quote:])
	if err != nil {
		return fix
	}
	inner, err := strconv.Unquote(quoted)
	if err != nil {
		return fix
	}
	return fmt.Sprintf("%s: %s", fix, quoteToken(text[:quote]+inner))
}
