package directive

import "strings"

// Target is a sort of declaration that a directive may stand on.
type Target string

// The targets.
const (
	Func    Target = "function or method"
	Struct  Target = "struct"
	Vars    Target = "var declaration"
	Package Target = "package clause"
)

// Targets are all that a directive may stand on.
type Targets []Target

// String writes them for people.
func (t Targets) String() string {
	return strings.Join(names(t, func(t Target) string { return string(t) }), " or ")
}

// Spec describes one directive.
type Spec struct {
	Name   string  // what follows //idem:
	On     Targets // where it may stand
	Form   string  // the form of the declaration, as the help shows it
	Doc    string  // one line
	Node   *Param  // the positional NAME; nil for a directive without one
	Params []Param // the key=value arguments, in the order that the help and Format give them
	Later  bool    // the name is reserved; this version does not support it
}

// Param describes one argument of a directive.
type Param struct {
	Name    string
	Kind    *Kind
	Default string // what holds without it, in words
	Doc     string // one line
	Later   bool   // the name is reserved; this version does not support it
}

// Registry is every directive, in the order of the help. The parser, the checks, the suggestions and the help text all
// come from it.
type Registry []*Spec

// Lookup finds a directive by its name; it returns nil when there is none.
func (r Registry) Lookup(name string) *Spec {
	for _, s := range r {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Names are the names of all directives.
func (r Registry) Names() []string { return names(r, func(s *Spec) string { return s.Name }) }

func (r Registry) supportedNames() []string {
	var supported []string
	for _, s := range r {
		if !s.Later {
			supported = append(supported, s.Name)
		}
	}
	return supported
}

// Param finds an argument by its name, or returns nil.
func (s *Spec) Param(name string) *Param {
	for i := range s.Params {
		if s.Params[i].Name == name {
			return &s.Params[i]
		}
	}
	return nil
}

func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = name(v)
	}
	return out
}

func (s *Spec) paramNames() []string {
	return names(s.Params, func(p Param) string { return p.Name })
}
