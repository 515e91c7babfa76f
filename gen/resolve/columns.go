package resolve

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/directive"
)

// Rows is what a table does with the values of a struct.
type Rows struct {
	Reserved []string // the columns that the table has of its own
	OneWay   bool     // generated code does not read them back
}

// columnWalk collects the columns of one struct.
type columnWalk struct {
	*Resolver
	Rows
	owner   string
	columns []Column
	failed  bool // a field that was refused: the struct is not simply empty
}

// Columns resolves the fields of a struct whose values become rows of a table.
func (r *Resolver) Columns(p directive.Placed, s *types.Struct, rows Rows) []Column {
	w := &columnWalk{Resolver: r, Rows: rows, owner: p.Type.Name.Name}
	w.walk(s, nil, p.Type.Name.Pos())
	if len(w.columns) == 0 && !w.failed {
		r.Add(p.Type.Name.Pos(), "no-columns", "give it an exported field", "%s has no field that becomes a column", w.owner)
	}
	for _, c := range w.columns {
		if !c.Identity {
			return w.columns
		}
	}
	if len(w.columns) > 0 && !w.failed {
		r.Add(p.Type.Name.Pos(), "no-columns", "give it a field that is written", "%s has only an identity column", w.owner)
	}
	return w.columns
}

// fieldPlace is a field with its syntax, where this package has it.
type fieldPlace struct {
	*types.Var
	tags   string
	pos    token.Pos
	syntax *ast.Field
	path   []string // Go names of the embedded structs around it
}

func (f fieldPlace) selector() string {
	return strings.Join(append(slices.Clone(f.path), f.Name()), ".")
}

// tagPos is the place of a byte of the db tag's value.
func (f fieldPlace) tagPos(at int) token.Pos {
	if f.syntax == nil || f.syntax.Tag == nil {
		return f.pos
	}
	return tagPos(f.syntax, f.tags, at)
}

// walk takes the fields in order, those of embedded structs in place. outer is where to report a field
// that another package declares.
func (w *columnWalk) walk(s *types.Struct, path []string, outer token.Pos) {
	for i := range s.NumFields() {
		f := fieldPlace{Var: s.Field(i), tags: s.Tag(i), pos: outer, path: path}
		if syntax := w.fields[f.Origin()]; syntax != nil {
			f.pos, f.syntax = f.Pos(), syntax
		}
		w.field(f)
	}
}

func (w *columnWalk) field(f fieldPlace) {
	tag, wrong := parseTag(f.tags)
	for _, m := range wrong {
		w.refuse(f.tagPos(m.at), "bad-tag", m.fix, "%s", m.message)
	}
	switch {
	case tag.Skip || len(wrong) > 0:
	case f.Embedded() && tag.Name == "" && w.embedded(f):
	case !f.Exported() && tag.Present:
		w.refuse(f.pos, "unexported-field", `export it, or remove its db tag`, "field %s has a db tag but is not exported", f.Name())
	case !f.Exported():
	case f.syntax != nil && IsInvalid(f.Type()):
		w.Undefined(f.syntax.Type, "field "+f.selector())
		w.failed = true
	default:
		w.column(f, tag)
	}
}

func (w *columnWalk) refuse(pos token.Pos, code, fix, format string, args ...any) {
	w.failed = true
	w.Add(pos, code, fix, format, args...)
}

// embedded takes the fields of an embedded struct, and reports whether it is one. An embedded value
// that has a column type of its own is a field like others.
func (w *columnWalk) embedded(f fieldPlace) bool {
	t, pointer := f.Type(), false
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t, pointer = p.Elem(), true
	}
	s, ok := t.Underlying().(*types.Struct)
	if _, known := knownType(t); !ok || known || isDatabaseValue(t) || MarshalsItself(t) && !hasExported(s) {
		return false
	}
	if pointer {
		w.refuse(f.pos, "embedded-pointer", "embed the struct itself, or name the field", "embedded *%s can be nil, and then has no fields to read", f.Name())
		return true
	}
	path := f.path
	if f.Exported() || f.Pkg().Path() == w.Package.Path {
		path = append(slices.Clone(path), f.Name())
	}
	w.walk(s, path, f.pos)
	return true
}

// hasExported reports whether a struct has fields that could be columns.
func hasExported(s *types.Struct) bool {
	for i := range s.NumFields() {
		if _, embedded := embeddedStruct(s.Field(i)); embedded || s.Field(i).Exported() {
			return true
		}
	}
	return false
}
