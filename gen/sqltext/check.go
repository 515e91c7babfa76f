package sqltext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CheckExpression says what keeps an SQL expression from standing as a default, inside COALESCE and
// behind DEFAULT. It cannot say whether Postgres will like the expression.
func CheckExpression(s string) error {
	found, err := tokens(s)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errors.New("it is empty")
	}
	return checkNesting(found)
}

// columnWords may follow a type in a column's definition but are no part of it.
var columnWords = []string{
	"as", "check", "collate", "constraint", "default", "generated", "not", "null", "primary", "references", "unique",
}

var serialTypes = []string{"serial", "bigserial", "smallserial", "serial2", "serial4", "serial8"}

// CheckType says what keeps a text from standing as a column's type and in a cast.
func CheckType(s string) error {
	found, err := tokens(s)
	if err != nil {
		return err
	}
	if len(found) == 0 || found[0].kind == symbol {
		return errors.New("it does not start with the name of a type")
	}
	for i, t := range found {
		lower := strings.ToLower(t.text)
		switch {
		case t.kind == symbol && t.text == "-" && !strings.Contains("(,", found[max(i-1, 0)].text):
			// A sign belongs to a limit, as in numeric(5,-2). Two of them side by side would begin a comment.
			return errors.New("- has no place in a type but before a number in parentheses")
		case t.kind == literal, t.kind == symbol && !strings.Contains("()[].,-", t.text):
			return fmt.Errorf("%s has no place in a type", t.text)
		case t.kind == word && slices.Contains(columnWords, lower):
			return fmt.Errorf("%s is no part of a type", strings.ToUpper(t.text))
		case t.kind == word && slices.Contains(serialTypes, lower):
			return fmt.Errorf("%s is no type of a column; add identity to the tag", t.text)
		}
	}
	return checkNesting(found)
}

// checkNesting refuses what would close a bracket that stands outside, or be taken for a further item of
// the list outside.
func checkNesting(found []token) error {
	var open []string
	for _, t := range found {
		if t.kind != symbol {
			continue
		}
		switch t.text {
		case "(", "[":
			open = append(open, map[string]string{"(": ")", "[": "]"}[t.text])
		case ")", "]":
			if len(open) == 0 || open[len(open)-1] != t.text {
				return fmt.Errorf("%s closes nothing", t.text)
			}
			open = open[:len(open)-1]
		case ",":
			if len(open) == 0 {
				return errors.New("it holds a comma outside brackets")
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%s is missing", open[len(open)-1])
	}
	return nil
}
