package resolve

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// JSONUse is a place at which values of a type become JSON.
type JSONUse struct {
	What   string    // names the place for people
	Code   string    // of diagnostics
	Pos    token.Pos // where to report what has no place in this package
	OneWay bool      // what is written is not read back into the type
}

// CheckJSON reports what JSON cannot carry of a type, through all that it is made of.
func (r *Resolver) CheckJSON(use JSONUse, t types.Type) {
	j := jsonCheck{Resolver: r, JSONUse: use, seen: map[visit]bool{}}
	j.check(t, use.What, use.Pos)
}

// jsonCheck looks for what JSON cannot carry, through all that a type is made of.
type jsonCheck struct {
	*Resolver
	JSONUse
	allowAny bool   // an empty interface holds whatever JSON holds
	instead  string // what else would help, to follow the fix
	depth    int
	within   *mapPlace // the map whose element is looked at; nil where values have an address
	seen     map[visit]bool
}

// visit is a type that was looked at, and whether its values had an address there.
type visit struct {
	types.Type
	addressed bool
}

// mapPlace is a map. Its elements have no address, and with it none of their pointers' methods.
type mapPlace struct {
	path string
	pos  token.Pos
}

// maxDepth ends the walk through types that expand without end.
const maxDepth = 50

func (j *jsonCheck) check(t types.Type, path string, pos token.Pos) {
	at := visit{t, j.within == nil}
	if j.seen[at] || j.depth > maxDepth {
		return
	}
	j.seen[at] = true
	j.depth++
	defer func() { j.depth-- }()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		j.inside(nil, p.Elem(), path, pos)
		return
	}
	if j.ownForm(t, path, pos) {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		j.basic(u, path, pos)
	case *types.Slice:
		j.inside(nil, u.Elem(), path, pos)
	case *types.Array:
		j.check(u.Elem(), path, pos)
	case *types.Map:
		j.key(u.Key(), path, pos)
		j.inside(&mapPlace{path, pos}, u.Elem(), path, pos)
	case *types.Struct:
		j.structure(u, t, path, pos)
	case *types.Interface:
		if !j.allowAny || !u.Empty() {
			j.refuse(pos, "use a concrete type, or json.RawMessage", "%s is an interface (%s): JSON cannot tell what to read back", path, j.Display(t))
		}
	default:
		j.refuse(pos, `remove the field, or tag it json:"-"`, "%s is a %s: JSON cannot carry it", path, KindName(u))
	}
}

// inside checks what a map, a slice or a pointer holds.
func (j *jsonCheck) inside(within *mapPlace, t types.Type, path string, pos token.Pos) {
	outer := j.within
	j.within = within
	j.check(t, path, pos)
	j.within = outer
}

func (j *jsonCheck) refuse(pos token.Pos, fix, format string, args ...any) {
	j.Add(pos, j.Code, fix+j.instead, format, args...)
}

func (j *jsonCheck) basic(b *types.Basic, path string, pos token.Pos) {
	switch {
	case b.Info()&types.IsComplex != 0:
		j.refuse(pos, "split it into two numbers", "%s is a complex number: JSON cannot carry it", path)
	case b.Kind() == types.UnsafePointer:
		j.refuse(pos, `remove the field, or tag it json:"-"`, "%s is an unsafe.Pointer: JSON cannot carry it", path)
	}
}

// key checks a map's key: JSON has texts alone, and Go writes integers as such. Keys have no address, and a text form
// that only their pointers write is not theirs; strings are written as they are.
func (j *jsonCheck) key(t types.Type, path string, pos token.Pos) {
	b, _ := t.Underlying().(*types.Basic)
	writes, reads := marshalText.of(t), unmarshalText.of(t)
	switch {
	case IsInvalid(t), b != nil && b.Info()&types.IsString != 0:
	case writes.reach == byValue && !reads.absent():
	case b != nil && b.Info()&types.IsInteger != 0 && writes.reach != byValue && reads.absent():
	case writes.reach == byPointer:
		j.Add(pos, j.Code, "give MarshalText a value receiver", "%s is a map with keys of type %s, whose MarshalText is its pointer's: JSON does not call it", path, j.Display(t))
	default:
		j.refuse(pos, "use a string or an integer as the key", "%s is a map with keys of type %s: JSON cannot carry it", path, j.Display(t))
	}
}

func (j *jsonCheck) structure(s *types.Struct, t types.Type, path string, pos token.Pos) {
	if _, ok := types.Unalias(t).(*types.Named); ok {
		path = j.Display(t)
	}
	visible := s.NumFields() == 0
	for i := range s.NumFields() {
		f := s.Field(i)
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		inner, flat := embeddedStruct(f)
		if name == "-" || !f.Exported() && !flat {
			visible = visible || name == "-"
			continue
		}
		visible = true
		if flat && name == "" {
			j.flattened(f, inner, path)
		} else {
			j.field(f, path)
		}
	}
	if !visible {
		j.refuse(pos, "export its fields, or give it MarshalJSON and UnmarshalJSON", "%s has no exported fields: JSON would lose what is in it", path)
	}
}

func (j *jsonCheck) field(f *types.Var, path string) {
	pos := j.Pos
	if syntax := j.fields[f.Origin()]; syntax != nil {
		pos = f.Pos()
		if IsInvalid(f.Type()) {
			j.Undefined(syntax.Type, "field "+f.Name())
			return
		}
	}
	j.check(f.Type(), fmt.Sprintf("field %s of %s", f.Name(), path), pos)
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
