package outbox

import (
	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// Outbox is an annotated struct: one command that leaves the database once its step has completed.
type Outbox struct {
	Type    string // the struct's Go name
	Schema  string // SQL schema of table=, empty: search_path decides
	Table   string
	To      string         // column name of the destination; empty without
	OrderBy string         // column name of the key within which commands keep their order; empty without
	Item    string         // column name of item=; empty without
	Body    string         // column name of what is sent; empty: the row as JSON, in a column of its own
	Columns []model.Column // the author's, in struct order, embedded fields in place
	Doc     string         // first sentence of the doc comment; may be empty
	Pos     diag.Position
}

// At is where the directive stands.
func (o Outbox) At() diag.Position { return o.Pos }

// Order sorts outboxes by their structs' names.
func (o Outbox) Order() string { return o.Type }

// Selector is the struct's name.
func (o Outbox) Selector() string { return o.Type }

// Claims is the table.
func (o Outbox) Claims() []model.Claim {
	return []model.Claim{{Space: model.Table, Name: sqltext.Qualified(o.Schema, o.Table), Owner: "outbox"}}
}

// Rows is the table that holds the commands.
func (o Outbox) Rows() model.Rows {
	rows := model.Rows{Struct: o.Type, Schema: o.Schema, Name: o.Table, Key: []string{commandID}, Columns: o.Columns, Room: room}
	if o.Body == "" {
		rows.Added = []model.Column{{Name: JSONBody, SQLType: "bytea"}}
	}
	return rows
}

// room is what the longest of the names that idem derives from the table's adds to it.
const room = len("_finished_check")

// commandID is the name of the column with a command's id.
const commandID = "command_id"

// JSONBody is the name of the column with the row as JSON.
const JSONBody = "body"

// BodyColumn is the name of the column with what is sent.
func (o Outbox) BodyColumn() string {
	if o.Body == "" {
		return JSONBody
	}
	return o.Body
}

// Column finds one of the author's columns; it returns the zero value when there is none of that name.
func (o Outbox) Column(name string) model.Column {
	for _, c := range o.Columns {
		if c.Name == name {
			return c
		}
	}
	return model.Column{}
}

// OutboxName is the name of the generated description of the table: webhookOutbox.
func (o Outbox) OutboxName() string { return model.LowerFirst(o.Type) + "Outbox" }

// QueueName is the name of the generated function that keeps a command until the completion.
func (o Outbox) QueueName() string { return o.cased("Queue" + model.UpperFirst(o.Type)) }

// QueueTxName is the name of the generated function that writes a command in a transaction of the caller's.
func (o Outbox) QueueTxName() string { return o.QueueName() + "Tx" }

// RelayName is the name of the generated constructor of relays: NewWebhookRelay.
func (o Outbox) RelayName() string { return o.cased("New" + model.UpperFirst(o.Type) + "Relay") }

// GeneratedNames are the names that the outbox adds to its package's scope.
func (o Outbox) GeneratedNames() []string {
	return []string{o.OutboxName(), o.QueueName(), o.QueueTxName(), o.RelayName()}
}

func (o Outbox) cased(name string) string { return model.Cased(name, model.IsExported(o.Type)) }
