package resolve

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// column is a column with the place that its diagnostics point to.
type column struct {
	model.Column
	pos token.Pos
}

// columnWalk collects the columns of one effect.
type columnWalk struct {
	*resolver
	owner   string
	columns []column
	failed  bool // a field that was refused: the struct is not simply empty
}

// columns resolves the fields of an effect's struct.
func (r *resolver) columns(p directive.Placed, s *types.Struct) []column {
	w := &columnWalk{resolver: r, owner: p.Type.Name.Name}
	w.walk(s, nil, p.Type.Name.Pos())
	if len(w.columns) == 0 && !w.failed {
		r.add(p.Type.Name.Pos(), "no-columns", "give it an exported field", "%s has no field that becomes a column", w.owner)
	}
	for _, c := range w.columns {
		if !c.Identity {
			return w.columns
		}
	}
	if len(w.columns) > 0 && !w.failed {
		r.add(p.Type.Name.Pos(), "no-columns", "give it a field that is written", "%s has only an identity column", w.owner)
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
	case f.syntax != nil && isInvalid(f.Type()):
		w.undefined(f.syntax.Type, "field "+f.selector())
		w.failed = true
	default:
		w.column(f, tag)
	}
}

func (w *columnWalk) refuse(pos token.Pos, code, fix, format string, args ...any) {
	w.failed = true
	w.add(pos, code, fix, format, args...)
}

// embedded takes the fields of an embedded struct, and reports whether it is one. An embedded value
// that has a column type of its own is a field like others.
func (w *columnWalk) embedded(f fieldPlace) bool {
	t, pointer := f.Type(), false
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t, pointer = p.Elem(), true
	}
	s, ok := t.Underlying().(*types.Struct)
	if _, known := knownType(t); !ok || known || isDatabaseValue(t) {
		return false
	}
	if pointer {
		w.refuse(f.pos, "embedded-pointer", "embed the struct itself, or name the field", "embedded *%s can be nil, and then has no fields to read", f.Name())
		return true
	}
	path := f.path
	if f.Exported() || f.Pkg().Path() == w.pkg.Path {
		path = append(slices.Clone(path), f.Name())
	}
	w.walk(s, path, f.pos)
	return true
}

func (w *columnWalk) column(f fieldPlace, tag columnTag) {
	c := column{pos: f.pos}
	c.Name, c.Field, c.Default, c.Identity = tag.Name, f.selector(), tag.Default, tag.Identity
	c.Pos = w.prog.Position(f.pos)
	if c.Name == "" {
		c.Name = snake(f.Name())
	}
	w.columnName(f, c)
	var hidden []*types.TypeName
	c.GoType, hidden = w.typeExpr(f.Type())
	for _, name := range hidden {
		w.refuse(f.pos, "hidden-type", "export it, or copy the field into this struct", "field %s has the type %s.%s, which only its own package can name", c.Field, name.Pkg().Name(), name.Name())
	}
	w.columnType(f, tag, &c)
	w.columnDefault(f, tag, c)
	w.identity(f, tag, c)
	w.columns = append(w.columns, c)
}

// reserved are the columns that the table has of its own, by the reason.
var reserved = map[string]string{
	"run_id": "idem's own", "node": "idem's own", "payload_digest": "idem's own",
	"tableoid": "a system column of Postgres", "xmin": "a system column of Postgres", "cmin": "a system column of Postgres",
	"xmax": "a system column of Postgres", "cmax": "a system column of Postgres", "ctid": "a system column of Postgres",
}

func (w *columnWalk) columnName(f fieldPlace, c column) {
	pos := f.pos
	if name, _, _ := strings.Cut(c.Name, ","); f.syntax != nil && f.syntax.Tag != nil && name != snake(f.Name()) {
		pos = f.tagPos(0)
	}
	if !w.sqlName(pos, "bad-column", "column of field "+c.Field, c.Name, 0) {
		w.failed = true
		return
	}
	if why := reserved[c.Name]; why != "" {
		w.refuse(pos, "reserved-column", "name it otherwise in its db tag", "column %s of field %s is %s", c.Name, c.Field, why)
	}
	for _, other := range w.columns {
		if other.Name == c.Name {
			w.refuse(pos, "duplicate-column", "name one of them otherwise in its db tag", "fields %s and %s are both column %s", other.Field, c.Field, c.Name)
		}
	}
}

// columnType finds the SQL type and how the value crosses. type: decides where it is given.
func (w *columnWalk) columnType(f fieldPlace, tag columnTag, c *column) {
	t, why := typing{w.resolver, "field " + c.Field, f.pos, tag.Type}.typeOf(f.Type())
	if why != nil {
		w.refuse(f.pos, "no-column-type", why.fix, "field %s: %s", c.Field, why.message)
		return
	}
	if tag.Type != "" {
		if err := sqltext.CheckType(tag.Type); err != nil {
			w.refuse(f.tagPos(tag.places["type"]), "bad-type", "write one type, such as type:numeric(12,2)", "type: of field %s: %v", c.Field, err)
		}
	}
	c.SQLType, c.Encode, c.Nullable, c.Pointer, c.Convert = t.sql, t.encode, t.nullable, t.nilable, t.convert
}

func (w *columnWalk) columnDefault(f fieldPlace, tag columnTag, c column) {
	if tag.Default == "" {
		return
	}
	pos := f.tagPos(tag.places["default"])
	if err := sqltext.CheckExpression(tag.Default); err != nil {
		w.refuse(pos, "bad-default", "write one SQL expression, such as default:now()", "default: of field %s: %v", c.Field, err)
	}
	if !c.Pointer && !types.Comparable(f.Type()) {
		w.refuse(pos, "bad-default", fmt.Sprintf("make it a pointer, *%s", w.display(f.Type())), "field %s cannot be compared with its zero value, so it cannot ask for the default", c.Field)
	}
}

func (w *columnWalk) identity(f fieldPlace, tag columnTag, c column) {
	if !tag.Identity {
		return
	}
	pos := f.tagPos(tag.places["identity"])
	b, _ := f.Type().Underlying().(*types.Basic)
	switch {
	case b == nil || b.Info()&types.IsInteger == 0 || c.SQLType != "" && !isInteger(c.SQLType):
		w.refuse(pos, "bad-identity", "make it an int64", "identity field %s is no integer", c.Field)
	case tag.Default != "":
		w.refuse(pos, "bad-identity", "remove one of them", "field %s has both identity and default:", c.Field)
	case slices.ContainsFunc(w.columns, func(other column) bool { return other.Identity }):
		w.refuse(pos, "bad-identity", "keep one of them", "%s has a second identity column, %s", w.owner, c.Field)
	}
}
