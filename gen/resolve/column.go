package resolve

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// Column is a column with what its diagnostics need: the places, and what the field itself says.
type Column struct {
	model.Column
	pos     token.Pos
	Type    types.Type // of the field
	tag     columnTag
	NamePos token.Pos // of what names the column
	tagPos  func(at int) token.Pos
}

// TagAt is the place of an option in the field's db tag.
func (c Column) TagAt(option string) token.Pos { return c.tagPos(c.tag.places[option]) }

// TagType is what type: of the db tag says; empty without.
func (c Column) TagType() string { return c.tag.Type }

func (w *columnWalk) column(f fieldPlace, tag columnTag) {
	c := Column{pos: f.pos, Type: f.Type(), tag: tag, NamePos: f.pos, tagPos: f.tagPos}
	if tag.Name != "" {
		c.NamePos = f.tagPos(0)
	}
	c.Name, c.Field, c.Default, c.Identity = tag.Name, f.selector(), tag.Default, tag.Identity
	c.Pos = w.Program.Position(f.pos)
	if c.Name == "" {
		c.Name = Snake(f.Name())
	}
	w.columnName(c)
	var hidden []*types.TypeName
	c.GoType, hidden = w.TypeExpr(f.Type())
	for _, name := range hidden {
		w.refuse(f.pos, "hidden-type", "export it, or copy the field into this struct", "field %s has the type %s.%s, which only its own package can name", c.Field, name.Pkg().Name(), name.Name())
	}
	w.columnType(f, tag, &c)
	w.columnDefault(f, tag, c)
	w.identity(f, tag, c)
	w.columns = append(w.columns, c)
}

// OwnColumns are the columns that an effect's table has of its own.
var OwnColumns = []string{"run_id", "node", "payload_digest"}

// systemColumns are those that each table has.
var systemColumns = []string{"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"}

func (w *columnWalk) columnName(c Column) {
	if !w.sqlName(c.NamePos, "bad-column", "column of field "+c.Field, c.Name, 0) {
		w.failed = true
		return
	}
	switch {
	case slices.Contains(w.Reserved, c.Name):
		w.reservedColumn(c, "idem's own")
	case slices.Contains(systemColumns, c.Name):
		w.reservedColumn(c, "a system column of Postgres")
	}
	for _, other := range w.columns {
		if other.Name == c.Name {
			w.refuse(c.NamePos, "duplicate-column", "name one of them otherwise in its db tag", "fields %s and %s are both column %s", other.Field, c.Field, c.Name)
		}
	}
}

func (w *columnWalk) reservedColumn(c Column, why string) {
	w.refuse(c.NamePos, "reserved-column", "name it otherwise in its db tag", "column %s of field %s is %s", c.Name, c.Field, why)
}

// columnType finds the SQL type and how the value crosses. type: decides where it is given.
func (w *columnWalk) columnType(f fieldPlace, tag columnTag, c *Column) {
	t, why := typing{w.Resolver, "field " + c.Field, f.pos, tag.Type, w.OneWay}.typeOf(f.Type())
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

func (w *columnWalk) columnDefault(f fieldPlace, tag columnTag, c Column) {
	if tag.Default == "" {
		return
	}
	pos := f.tagPos(tag.places["default"])
	if err := sqltext.CheckExpression(tag.Default); err != nil {
		w.refuse(pos, "bad-default", "write one SQL expression, such as default:now()", "default: of field %s: %v", c.Field, err)
	}
	if !c.Pointer && !types.Comparable(f.Type()) {
		w.refuse(pos, "bad-default", fmt.Sprintf("make it a pointer, *%s", w.Display(f.Type())), "field %s cannot be compared with its zero value, so it cannot ask for the default", c.Field)
	}
}

func (w *columnWalk) identity(f fieldPlace, tag columnTag, c Column) {
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
	case slices.ContainsFunc(w.columns, func(other Column) bool { return other.Identity }):
		w.refuse(pos, "bad-identity", "keep one of them", "%s has a second identity column, %s", w.owner, c.Field)
	}
}
