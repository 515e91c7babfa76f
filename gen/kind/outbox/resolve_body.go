package outbox

import (
	"go/types"
	"strings"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/resolve"
)

// body finds what of a command is sent: the field that body= names, else the only one that holds bytes, else the row
// as JSON. Its column keeps the very bytes, which JSON's own types do not.
func (r resolver) body(p directive.Placed, obj *types.TypeName, o *Outbox, columns []resolve.Column) {
	c, ok := r.bodyColumn(p, columns)
	switch {
	case !ok:
	case c == nil:
		r.bodyAsJSON(p, obj, columns)
	case resolve.IsString(c.Type):
		r.stored(c, "body", "text")
		o.Body = c.Name
	default:
		r.stored(c, "body", "bytea")
		o.Body = c.Name
	}
}

// bodyColumn returns the field that is sent, or nil when none is.
func (r resolver) bodyColumn(p directive.Placed, columns []resolve.Column) (c *resolve.Column, ok bool) {
	if arg := p.Arg("body"); arg != nil {
		c := r.FindColumn(arg.ValuePos, "body", arg.Value.(string), p.Type.Name.Name, columns)
		if c != nil && !resolve.IsString(c.Type) && !resolve.HoldsBytes(c.Type) {
			r.Add(arg.ValuePos, "bad-command", "name a field of type []byte, json.RawMessage or string", "body: field %s is %s", c.Field, r.Display(c.Type))
			return nil, false
		}
		if c != nil && r.storesItself(arg.ValuePos, "body", c) {
			return nil, false
		}
		return c, c != nil
	}
	var fields []string
	for i := range columns {
		if resolve.IsPlainBytes(columns[i].Type) {
			c, fields = &columns[i], append(fields, columns[i].Field)
		}
	}
	if len(fields) > 1 {
		r.Add(p.Pos, "ambiguous-body", "say which one with body=", "%s has several fields that could be what is sent: %s", p.Type.Name.Name, strings.Join(fields, ", "))
		return nil, false
	}
	return c, true
}

// bodyAsJSON checks that the row comes out of JSON as it went in, and that its column is free.
func (r resolver) bodyAsJSON(p directive.Placed, obj *types.TypeName, columns []resolve.Column) {
	for _, c := range columns {
		if c.Name == JSONBody {
			r.Add(c.NamePos, "reserved-column", "name it otherwise in its db tag, or send the field itself with body="+c.Field,
				"column %s of field %s is idem's own: the row is sent as JSON", c.Name, c.Field)
		}
	}
	if len(columns) == 0 {
		return // which is said already
	}
	pos := p.Type.Name.Pos()
	r.CheckJSON(resolve.JSONUse{What: "the row", Code: "bad-payload", Pos: pos, OneWay: true}, obj.Type())
}
