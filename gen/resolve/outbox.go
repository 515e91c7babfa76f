package resolve

import (
	"go/types"
	"slices"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// outboxColumns are the columns that a table of commands has of its own, beside the body of a row sent as JSON.
var outboxColumns = append(slices.Clone(effectColumns),
	"seq", "command_id", "state", "attempts", "created_at", "first_attempt_at", "next_attempt_at", "claim_epoch",
	"claim_expires_at", "receipt", "receipt_digest", "last_error", "finished_at")

// claimNames are what a relay's statement calls its own parts by. A table of that name would be hidden from it.
var claimNames = []string{"keys", "heads", "destinations", "due"}

// outbox resolves a struct whose values are commands.
func (r *resolver) outbox(p directive.Placed) {
	obj, _ := r.pkg.Info.Defs[p.Type.Name].(*types.TypeName)
	if obj == nil || !r.nameable(p, p.Type.Name) {
		return
	}
	structure, ok := r.rowStruct(p, obj)
	if !ok {
		return
	}
	o := model.Outbox{Type: obj.Name(), Doc: synopsis(p.Doc, obj.Name()), Pos: r.prog.Position(p.Pos)}
	r.outboxTable(p, &o)
	columns := r.columns(p, structure, outboxColumns)
	for _, c := range columns {
		r.writtenWhole(c)
	}
	o.To = r.textColumn(p, "to", columns)
	o.OrderBy = r.textColumn(p, "order_by", columns)
	if item := p.Arg("item"); item != nil {
		if c := r.keyColumn(item, item.Value.(string), o.Type, columns); c != nil {
			o.Item = c.Name
		}
	}
	r.body(p, obj, &o, columns)
	for _, c := range columns {
		o.Columns = append(o.Columns, c.Column)
	}
	r.names.claim(p.Pos, "//idem:outbox on "+o.Type, o.GeneratedNames())
	r.model.Outboxes = append(r.model.Outboxes, o)
}

func (r *resolver) outboxTable(p directive.Placed, o *model.Outbox) {
	o.Schema, o.Table = r.table(p, snake(o.Type)+"_outbox", sqltext.OutboxRoom)
	if o.Schema == "" && slices.Contains(claimNames, o.Table) {
		r.add(p.Arg("table").ValuePos, "bad-table", "write its schema before it, or choose another name",
			"the statements of a relay have a part that is called %s", o.Table)
	}
}

// writtenWhole refuses columns that the database fills in: what is sent must be what was queued.
func (r *resolver) writtenWhole(c column) {
	if c.Default != "" {
		r.add(c.tagPos(c.tag.places["default"]), "bad-default", "remove it, and set the field",
			"default: of field %s: a command is written whole, as it is sent", c.Field)
	}
	if c.Identity {
		r.add(c.tagPos(c.tag.places["identity"]), "bad-identity", "remove it; idem numbers commands itself where their order counts",
			"identity field %s: a command is written whole, as it is sent", c.Field)
	}
}

// textColumn resolves to= or order_by= to a string column, and makes the field's value one.
func (r *resolver) textColumn(p directive.Placed, name string, columns []column) string {
	arg := p.Arg(name)
	if arg == nil {
		return ""
	}
	c := r.column(arg.ValuePos, name, arg.Value.(string), p.Type.Name.Name, columns)
	switch {
	case c == nil:
		return ""
	case !isString(c.typ):
		r.add(arg.ValuePos, "bad-command", "name a string field", "%s: field %s is %s, not a string", name, c.Field, r.display(c.typ))
	default:
		r.stored(c, name, "text")
	}
	return c.Name
}

// stored fixes the type of a column that relays read, and converts what has a name of its own.
func (r *resolver) stored(c *column, what, sqlType string) {
	if c.tag.Type != "" && !sqltext.SameType(c.tag.Type, sqlType) {
		r.add(c.tagPos(c.tag.places["type"]), "bad-type", "remove type:", "type: of field %s: %s= needs a column of %s, which keeps the value as it is", c.Field, what, sqlType)
		return
	}
	c.SQLType, c.Encode, c.Pointer, c.Convert = sqlType, model.Plain, false, ""
	if _, named := types.Unalias(c.typ).(*types.Named); named {
		c.Convert = map[string]string{"text": "string", "bytea": "[]byte"}[sqlType]
	}
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
