package outbox

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
	"github.com/idem-go/idem/gen/sqltext"
)

// outboxColumns are the columns that a table of commands has of its own, beside the body of a row sent as JSON.
var outboxColumns = append(slices.Clone(resolve.OwnColumns),
	"seq", "command_id", "state", "attempts", "created_at", "first_attempt_at", "next_attempt_at", "claim_epoch",
	"claim_expires_at", "receipt", "receipt_digest", "last_error", "finished_at")

// claimNames are what a relay's statement calls its own parts by. A table of that name would be hidden from it.
var claimNames = []string{"keys", "heads", "destinations", "due"}

// resolver resolves outboxes.
type resolver struct{ *resolve.Resolver }

// resolveOutbox resolves a struct whose values are commands.
func resolveOutbox(shared *resolve.Resolver, p directive.Placed) model.Declaration {
	r := resolver{shared}
	obj, structure, ok := r.Struct(p)
	if !ok {
		return nil
	}
	o := Outbox{Type: obj.Name(), Doc: resolve.Synopsis(p.Doc, obj.Name()), Pos: r.Program.Position(p.Pos)}
	r.outboxTable(p, &o)
	columns := r.Columns(p, structure, resolve.Rows{Reserved: outboxColumns, OneWay: true})
	for _, c := range columns {
		r.writtenWhole(c)
	}
	o.To = r.textColumn(p, "to", columns)
	o.OrderBy = r.textColumn(p, "order_by", columns)
	if item := p.Arg("item"); item != nil {
		if c := r.KeyColumn(item, item.Value.(string), o.Type, columns); c != nil {
			o.Item = c.Name
		}
	}
	r.body(p, obj, &o, columns)
	for _, c := range columns {
		o.Columns = append(o.Columns, c.Column)
	}
	r.Claim(p.Pos, "//idem:outbox on "+o.Type, o.GeneratedNames())
	return o
}

func (r resolver) outboxTable(p directive.Placed, o *Outbox) {
	o.Schema, o.Table = r.Table(p, resolve.Snake(o.Type)+"_outbox", room)
	if o.Schema == "" && slices.Contains(claimNames, o.Table) {
		r.Add(p.Arg("table").ValuePos, "bad-table", "write its schema before it, or choose another name",
			"the statements of a relay have a part that is called %s", o.Table)
	}
}

// writtenWhole refuses columns that the database fills in: what is sent must be what was queued.
func (r resolver) writtenWhole(c resolve.Column) {
	if c.Default != "" {
		r.Add(c.TagAt("default"), "bad-default", "remove it, and set the field",
			"default: of field %s: a command is written whole, as it is sent", c.Field)
	}
	if c.Identity {
		r.Add(c.TagAt("identity"), "bad-identity", "remove it; idem numbers commands itself where their order counts",
			"identity field %s: a command is written whole, as it is sent", c.Field)
	}
}

// textColumn resolves to= or order_by= to a string column, and makes the field's value one.
func (r resolver) textColumn(p directive.Placed, name string, columns []resolve.Column) string {
	arg := p.Arg(name)
	if arg == nil {
		return ""
	}
	c := r.FindColumn(arg.ValuePos, name, arg.Value.(string), p.Type.Name.Name, columns)
	switch {
	case c == nil:
		return ""
	case !resolve.IsString(c.Type):
		r.Add(arg.ValuePos, "bad-command", "name a string field", "%s: field %s is %s, not a string", name, c.Field, r.Display(c.Type))
	case r.storesItself(arg.ValuePos, name, c):
	default:
		r.stored(c, name, "text")
	}
	return c.Name
}

// storesItself refuses a field that relays would read in another form than its type wants to be stored in.
func (r resolver) storesItself(pos token.Pos, what string, c *resolve.Column) bool {
	if !resolve.StoresItself(c.Type) {
		return false
	}
	r.Add(pos, "bad-command", "name a field of a plain type, and convert what it holds",
		"%s: field %s is %s, which stores itself (Value), and relays read the column as it is", what, c.Field, r.Display(c.Type))
	return true
}

// stored fixes the type of a column that relays read, and converts what has a name of its own.
func (r resolver) stored(c *resolve.Column, what, sqlType string) {
	if c.TagType() != "" && !sqltext.SameType(c.TagType(), sqlType) {
		r.Add(c.TagAt("type"), "bad-type", "remove type:", "type: of field %s: %s= needs a column of %s, which keeps the value as it is", c.Field, what, sqlType)
		return
	}
	c.SQLType, c.Encode, c.Pointer, c.Convert = sqlType, model.Plain, false, ""
	if _, named := types.Unalias(c.Type).(*types.Named); named {
		c.Convert = map[string]string{"text": "string", "bytea": "[]byte"}[sqlType]
	}
}
