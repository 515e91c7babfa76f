package schema

import (
	"slices"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
	"github.com/idem-go/idem/templates"
)

// Outbox says which columns of a table of commands do what. Empty: none does.
type Outbox struct {
	To      string `json:"to,omitempty"`
	OrderBy string `json:"order_by,omitempty"`
	Item    string `json:"item,omitempty"`
	Body    string `json:"body"`
}

// outboxChecks are the further checks of a table of commands.
var outboxChecks = []string{"state", "finished", "claim", "receipt"}

// outboxIndexes are the indexes that a table has: those of commands.
func outboxIndexes(t Table) []string {
	if t.Outbox == nil {
		return nil
	}
	return []string{"pending", "finished"}
}

// OfOutbox is the table that an outbox of the package asks for.
func OfOutbox(packagePath string, o model.Outbox) Table {
	t := Table{
		Schema: o.Schema, Name: o.Table, Package: packagePath, Struct: o.Type, Key: []string{"command_id"},
		Columns: columnsOf(o.Columns),
		Outbox:  &Outbox{To: o.To, OrderBy: o.OrderBy, Item: o.Item, Body: o.BodyColumn()},
	}
	if o.Body == "" {
		t.Columns = append(t.Columns, Column{Name: model.JSONBody, Type: "bytea"})
	}
	return t
}

// CreateOutbox makes a table of commands with its indexes.
func CreateOutbox(t Table) []Change {
	lines := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		lines[i] = definition(c, t.exact(c.Name))
	}
	table := Change{
		Table: t.Display(),
		Comment: t.Display() + " holds commands that leave the database: idem writes each with its step's completion, and a relay sends\n" +
			"it afterwards, under its command_id.",
		Up: templates.Render("create_outbox.sql.tmpl", map[string]any{
			"Table":         t.quoted(),
			"Ordered":       t.Outbox.OrderBy != "",
			"Columns":       lines,
			"Key":           sqltext.Quote(sqltext.KeyConstraint(t.Name)),
			"PayloadCheck":  sqltext.Quote(sqltext.Guard(t.Name)),
			"StateCheck":    sqltext.Quote(sqltext.OutboxCheck(t.Name, "state")),
			"FinishedCheck": sqltext.Quote(sqltext.OutboxCheck(t.Name, "finished")),
			"ClaimCheck":    sqltext.Quote(sqltext.OutboxCheck(t.Name, "claim")),
			"ReceiptCheck":  sqltext.Quote(sqltext.OutboxCheck(t.Name, "receipt")),
		}),
		Down: "DROP TABLE " + t.quoted() + ";",
	}
	return []Change{
		table,
		t.index("What relays look for.", t.pendingIndex(), t.dropIndex("pending")),
		t.index("What retention removes.", t.finishedIndex(), t.dropIndex("finished")),
	}
}

func (t Table) index(comment, up, down string) Change {
	return Change{Table: t.Display(), Comment: comment, Up: up, Down: down}
}

// pendingIndex is in the order in which relays take commands.
func (t Table) pendingIndex() string {
	columns := []string{"next_attempt_at"}
	switch {
	case t.Outbox.OrderBy != "":
		columns = []string{t.Outbox.OrderBy, "seq"}
	case t.Outbox.To != "":
		columns = []string{t.Outbox.To, "next_attempt_at"}
	}
	return t.createIndex("pending", columns, `"state" = 'pending'`)
}

func (t Table) finishedIndex() string {
	return t.createIndex("finished", []string{"finished_at"}, `"state" IN ('delivered', 'rejected')`)
}

func (t Table) createIndex(of string, columns []string, where string) string {
	return templates.Render("create_index.sql.tmpl", map[string]any{
		"Index": sqltext.Quote(sqltext.OutboxIndex(t.Name, of)), "Table": t.quoted(),
		"Columns": sqltext.QuoteAll(columns), "Where": where,
	})
}

// dropIndex names the index within the table's schema.
func (t Table) dropIndex(of string) string {
	return "DROP INDEX " + sqltext.Qualified(t.Schema, sqltext.OutboxIndex(t.Name, of)) + ";"
}

// exact reports whether values of a column are compared byte by byte.
func (t Table) exact(column string) bool {
	if o := t.Outbox; o != nil {
		return column == o.To || column == o.OrderBy || column == o.Item
	}
	return slices.Contains(t.Key, column)
}
