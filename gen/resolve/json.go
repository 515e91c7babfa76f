package resolve

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// CheckJSON reports what JSON cannot carry of a type, through all that it is made of.
func (r *Resolver) CheckJSON(t types.Type, what, code string, pos token.Pos) {
	j := jsonCheck{r: r, pos: pos, code: code, seen: map[types.Type]bool{}}
	j.check(t, what, pos)
}

// jsonCheck looks for what JSON cannot carry, through all that a type is made of.
type jsonCheck struct {
	r        *Resolver
	pos      token.Pos // where to report what has no place in this package
	code     string
	allowAny bool   // an empty interface holds whatever JSON holds
	instead  string // what else would help, to follow the fix
	depth    int
	seen     map[types.Type]bool
}

// maxDepth ends the walk through types that expand without end.
const maxDepth = 50

func (j *jsonCheck) check(t types.Type, path string, pos token.Pos) {
	if j.seen[t] || j.depth > maxDepth || MarshalsItself(t) {
		return
	}
	j.seen[t] = true
	j.depth++
	defer func() { j.depth-- }()
	switch u := t.Underlying().(type) {
	case *types.Basic:
		j.basic(u, path, pos)
	case *types.Pointer:
		j.check(u.Elem(), path, pos)
	case *types.Slice:
		j.check(u.Elem(), path, pos)
	case *types.Array:
		j.check(u.Elem(), path, pos)
	case *types.Map:
		j.key(u.Key(), path, pos)
		j.check(u.Elem(), path, pos)
	case *types.Struct:
		j.structure(u, t, path, pos)
	case *types.Interface:
		if !j.allowAny || !u.Empty() {
			j.refuse(pos, "use a concrete type, or json.RawMessage", "%s is an interface (%s): JSON cannot tell what to read back", path, j.r.Display(t))
		}
	default:
		j.refuse(pos, `remove the field, or tag it json:"-"`, "%s is a %s: JSON cannot carry it", path, KindName(u))
	}
}

func (j *jsonCheck) refuse(pos token.Pos, fix, format string, args ...any) {
	j.r.Add(pos, j.code, fix+j.instead, format, args...)
}

func (j *jsonCheck) basic(b *types.Basic, path string, pos token.Pos) {
	switch {
	case b.Info()&types.IsComplex != 0:
		j.refuse(pos, "split it into two numbers", "%s is a complex number: JSON cannot carry it", path)
	case b.Kind() == types.UnsafePointer:
		j.refuse(pos, `remove the field, or tag it json:"-"`, "%s is an unsafe.Pointer: JSON cannot carry it", path)
	}
}

// key checks a map's key: JSON has texts alone, and Go writes integers as such.
func (j *jsonCheck) key(t types.Type, path string, pos token.Pos) {
	b, ok := t.Underlying().(*types.Basic)
	if ok && b.Info()&(types.IsString|types.IsInteger) != 0 || hasMethods(t, "MarshalText", "UnmarshalText") || IsInvalid(t) {
		return
	}
	j.refuse(pos, "use a string or an integer as the key", "%s is a map with keys of type %s: JSON cannot carry it", path, j.r.Display(t))
}

func (j *jsonCheck) structure(s *types.Struct, t types.Type, path string, pos token.Pos) {
	if _, ok := types.Unalias(t).(*types.Named); ok {
		path = j.r.Display(t)
	}
	visible := s.NumFields() == 0
	for i := range s.NumFields() {
		f := s.Field(i)
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		if name == "-" || !f.Exported() && !f.Embedded() {
			visible = visible || name == "-"
			continue
		}
		visible = true
		j.field(f, path)
	}
	if !visible {
		j.refuse(pos, "export its fields, or give it MarshalJSON and UnmarshalJSON", "%s has no exported fields: JSON would lose what is in it", path)
	}
}

func (j *jsonCheck) field(f *types.Var, path string) {
	pos := j.pos
	if syntax := j.r.fields[f.Origin()]; syntax != nil {
		pos = f.Pos()
		if IsInvalid(f.Type()) {
			j.r.Undefined(syntax.Type, "field "+f.Name())
			return
		}
	}
	j.check(f.Type(), fmt.Sprintf("field %s of %s", f.Name(), path), pos)
}

// MarshalsItself reports whether a type has a JSON or text form of its own, both ways.
func MarshalsItself(t types.Type) bool {
	return hasMethods(t, "MarshalJSON", "UnmarshalJSON") || hasMethods(t, "MarshalText", "UnmarshalText")
}

// KindName says for people what sort of type one is that JSON cannot carry.
func KindName(t types.Type) string {
	switch t.(type) {
	case *types.Chan:
		return "channel"
	case *types.Signature:
		return "function"
	}
	return t.String()
}
