package resolve

import (
	"go/types"
	"strings"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
)

// body finds what of a command is sent: the field that body= names, else the only one that holds bytes, else the row
// as JSON. Its column keeps the very bytes, which JSON's own types do not.
func (r *resolver) body(p directive.Placed, obj *types.TypeName, o *model.Outbox, columns []column) {
	c, ok := r.bodyColumn(p, columns)
	switch {
	case !ok:
	case c == nil:
		r.bodyAsJSON(p, obj, columns)
	case isString(c.typ):
		r.stored(c, "body", "text")
		o.Body = c.Name
	default:
		r.stored(c, "body", "bytea")
		o.Body = c.Name
	}
}

// bodyColumn gives the field that is sent, or nil when none is.
func (r *resolver) bodyColumn(p directive.Placed, columns []column) (c *column, ok bool) {
	if arg := p.Arg("body"); arg != nil {
		c := r.column(arg.ValuePos, "body", arg.Value.(string), p.Type.Name.Name, columns)
		if c != nil && !isString(c.typ) && !holdsBytes(c.typ) {
			r.add(arg.ValuePos, "bad-command", "name a field of type []byte, json.RawMessage or string", "body: field %s is %s", c.Field, r.display(c.typ))
			return nil, false
		}
		return c, c != nil
	}
	var fields []string
	for i := range columns {
		if isPlainBytes(columns[i].typ) {
			c, fields = &columns[i], append(fields, columns[i].Field)
		}
	}
	if len(fields) > 1 {
		r.add(p.Pos, "ambiguous-body", "say which one with body=", "%s has several fields that could be what is sent: %s", p.Type.Name.Name, strings.Join(fields, ", "))
		return nil, false
	}
	return c, true
}

// bodyAsJSON checks that the row comes out of JSON as it went in, and that its column is free.
func (r *resolver) bodyAsJSON(p directive.Placed, obj *types.TypeName, columns []column) {
	for _, c := range columns {
		if c.Name == model.JSONBody {
			r.add(c.namePos, "reserved-column", "name it otherwise in its db tag, or send the field itself with body="+c.Field,
				"column %s of field %s is idem's own: the row is sent as JSON", c.Name, c.Field)
		}
	}
	if len(columns) == 0 {
		return // which is said already
	}
	pos := p.Type.Name.Pos()
	j := jsonCheck{r: r, pos: pos, code: "bad-payload", seen: map[types.Type]bool{}}
	j.check(obj.Type(), "the row", pos)
}

// holdsBytes reports whether a type is a slice of bytes that has no other form in the database.
func holdsBytes(t types.Type) bool {
	known, named := knownType(t)
	return isBytes(t) && (!named || known.encode == model.JSON)
}

func isPlainBytes(t types.Type) bool {
	return types.Identical(t, types.NewSlice(types.Typ[types.Byte])) || isNamed(t, "encoding/json", "RawMessage")
}
