package sqltext

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the length in bytes at which Postgres cuts a name off without a word.
const MaxName = 63

// Quote makes a name an SQL identifier, whatever is in it.
func Quote(name string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(name, "\x00", ""), `"`, `""`) + `"`
}

// QuoteAll quotes each name.
func QuoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = Quote(name)
	}
	return quoted
}

// Qualified is the quoted name of a table; an empty schema leaves the search path to decide.
func Qualified(schema, table string) string {
	if schema == "" {
		return Quote(table)
	}
	return Quote(schema) + "." + Quote(table)
}

// Display is a table's name for people and file names: bare where that is clear, else quoted.
func Display(schema, table string) string {
	if schema == "" {
		return displayName(table)
	}
	return displayName(schema) + "." + displayName(table)
}

func displayName(name string) string {
	plain := name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && !unicode.IsLower(r) && !unicode.IsDigit(r)
	}) < 0
	if plain {
		return name
	}
	return Quote(name)
}

// CheckName says what keeps a name from being used for a table or a column; room is what names derived
// from it need on top.
func CheckName(name string, room int) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %q is not valid UTF-8", name)
	case strings.IndexFunc(name, isControl) >= 0:
		return fmt.Errorf("the name %q holds a control character", name)
	case len(name)+room > MaxName:
		return fmt.Errorf("the name %q is longer than %d bytes", name, MaxName-room)
	}
	return nil
}

// isControl also takes the separators that some readers of comments take for line ends.
func isControl(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}
