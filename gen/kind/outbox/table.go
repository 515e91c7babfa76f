package outbox

import (
	"encoding/json"
	"errors"

	"github.com/idem-go/idem/gen/schema"
	"github.com/idem-go/idem/gen/sqltext"
	"github.com/idem-go/idem/templates"
)

// commands is the form of a table of commands: which columns of it do what. Empty: none does.
type commands struct {
	To      string `json:"to,omitempty"`
	OrderBy string `json:"order_by,omitempty"`
	Item    string `json:"item,omitempty"`
	Body    string `json:"body"`
}

// form is the name of the form in idem.lock.
const form = "outbox"

// Form is what makes the table one of commands.
func (o Outbox) Form() schema.Form {
	return commands{To: o.To, OrderBy: o.OrderBy, Item: o.Item, Body: o.BodyColumn()}
}

// readForm reads what idem.lock keeps.
func readForm(data []byte) (schema.Form, error) {
	var c commands
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if c.Body == "" {
		return nil, errors.New("a table of commands has no body")
	}
	return c, nil
}

// Kind is the name of the form.
func (c commands) Kind() string { return form }

// Holds: the rows are commands.
func (c commands) Holds() string { return "commands" }

// Exact: what commands are told apart, sorted and sent by is compared byte by byte.
func (c commands) Exact(column string) bool {
	return column == c.To || column == c.OrderBy || column == c.Item
}

// Constraints are the further checks of a table of commands.
func (c commands) Constraints(table string) []string {
	return []string{check(table, "state"), check(table, "finished"), check(table, "claim"), check(table, "receipt")}
}

// Indexes are those that relays and retention go by.
func (c commands) Indexes(table string) []string {
	return []string{indexName(table, "pending"), indexName(table, "finished")}
}

// check names a CHECK constraint; on is state, finished, claim or receipt.
func check(table, on string) string { return table + "_" + on + "_check" }

// indexName names an index; of is pending or finished.
func indexName(table, of string) string { return table + "_" + of + "_idx" }

// Create makes a table of commands with its indexes.
func (c commands) Create(t schema.Table) []schema.Change {
	lines := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		lines[i] = schema.Definition(column, t.Exact(column.Name))
	}
	table := schema.Change{
		Table: t.Display(),
		Comment: t.Display() + " holds commands that leave the database: idem writes each with its step's completion, and a relay sends\n" +
			"it afterwards, under its command_id.",
		Up: templates.Render("create_outbox.sql.tmpl", map[string]any{
			"Table":         t.Quoted(),
			"Ordered":       c.OrderBy != "",
			"Columns":       lines,
			"Key":           sqltext.Quote(sqltext.KeyConstraint(t.Name)),
			"PayloadCheck":  sqltext.Quote(sqltext.Guard(t.Name)),
			"StateCheck":    sqltext.Quote(check(t.Name, "state")),
			"FinishedCheck": sqltext.Quote(check(t.Name, "finished")),
			"ClaimCheck":    sqltext.Quote(check(t.Name, "claim")),
			"ReceiptCheck":  sqltext.Quote(check(t.Name, "receipt")),
		}),
		Down: "DROP TABLE " + t.Quoted() + ";",
	}
	return []schema.Change{
		table,
		{Table: t.Display(), Comment: "What relays look for.", Up: c.pendingIndex(t), Down: dropIndex(t, "pending")},
		{Table: t.Display(), Comment: "What retention removes.", Up: finishedIndex(t), Down: dropIndex(t, "finished")},
	}
}

// pendingIndex is in the order in which relays take commands.
func (c commands) pendingIndex(t schema.Table) string {
	columns := []string{"next_attempt_at"}
	switch {
	case c.OrderBy != "":
		columns = []string{c.OrderBy, "seq"}
	case c.To != "":
		columns = []string{c.To, "next_attempt_at"}
	}
	return createIndex(t, "pending", columns, `"state" = 'pending'`)
}

func finishedIndex(t schema.Table) string {
	return createIndex(t, "finished", []string{"finished_at"}, `"state" IN ('delivered', 'rejected')`)
}

func createIndex(t schema.Table, of string, columns []string, where string) string {
	return templates.Render("create_index.sql.tmpl", map[string]any{
		"Index": sqltext.Quote(indexName(t.Name, of)), "Table": t.Quoted(),
		"Columns": sqltext.QuoteAll(columns), "Where": where,
	})
}

// dropIndex names the index within the table's schema.
func dropIndex(t schema.Table, of string) string {
	return "DROP INDEX " + sqltext.Qualified(t.Schema, indexName(t.Name, of)) + ";"
}
