package directive

import (
	"go/token"
	"strings"
)

// Directive is one directive as it stands in the source.
type Directive struct {
	Spec *Spec
	Pos  token.Pos // of the two slashes
	Node *Arg      // the positional name; nil without
	Args []Arg     // the arguments that are right, in the order of the registry
}

// Arg is one argument of a directive.
type Arg struct {
	Param    *Param
	Pos      token.Pos // of the argument
	ValuePos token.Pos // of the part after '='
	Text     string    // the value as written, unquoted
	Value    any       // the value, of the type that the argument's kind says
}

// Arg finds an argument by its name, or returns nil when the directive does not have it.
func (d *Directive) Arg(name string) *Arg {
	for i := range d.Args {
		if d.Args[i].Param.Name == name {
			return &d.Args[i]
		}
	}
	return nil
}

// ItemPos is the place of an item of a list, or of the value when the item is not to be found in it as it
// is.
func (a *Arg) ItemPos(item string) token.Pos {
	at := 0
	for _, part := range strings.FieldsFunc(a.Text, isListPunctuation) {
		start := at + strings.Index(a.Text[at:], part)
		if strings.TrimSpace(part) == item {
			return a.ValuePos + token.Pos(start)
		}
		at = start + len(part)
	}
	return a.ValuePos
}

func isListPunctuation(r rune) bool { return r == ',' || r == '(' || r == ')' }

// Value returns the value of an argument, and T's zero value when the directive does not have it. It
// panics when T is not the type of the argument's kind.
func Value[T any](d *Directive, name string) T {
	if a := d.Arg(name); a != nil {
		return a.Value.(T)
	}
	var none T
	return none
}

// Reporter takes what is wrong: where, the diagnostic's code, what would be right ("" when there is
// nothing to add) and the message.
type Reporter func(pos token.Pos, code, fix, message string)
