package directive

import "go/token"

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

// Arg finds an argument by its name, or gives nil when the directive does not have it.
func (d *Directive) Arg(name string) *Arg {
	for i := range d.Args {
		if d.Args[i].Param.Name == name {
			return &d.Args[i]
		}
	}
	return nil
}

// Value gives the value of an argument, and T's zero value when the directive does not have it. It
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
