package outbox

import (
	"slices"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
	"github.com/idem-go/idem/templates"
)

// outboxStatements is the SQL of one outbox, as outbox.Table takes it.
type outboxStatements struct {
	table   string
	columns []string // of the arguments, behind the command's id
	item    []int    // places in columns
	guard   string
	insert  string
	group   string // empty: none
	claim   string
}

func newOutboxStatements(o Outbox) outboxStatements {
	columns := commandColumns(o)
	s := outboxStatements{
		table:   sqltext.Qualified(o.Schema, o.Table),
		columns: emit.ColumnNames(columns),
		guard:   sqltext.Guard(o.Table),
	}
	if o.Item != "" {
		s.item = []int{slices.Index(s.columns, o.Item)}
	}
	s.insert = commandInsert(s, columns)
	s.group = emit.GroupText(s.table, columns, []string{commandID})
	s.claim = claimText(o, s)
	return s
}

// commandColumns are the columns that a command is written with: its id, the author's, and the row as JSON.
func commandColumns(o Outbox) []model.Column {
	rows := o.Rows()
	return slices.Concat([]model.Column{{Name: commandID, SQLType: "text"}}, rows.Columns, rows.Added)
}

func commandInsert(s outboxStatements, columns []model.Column) string {
	return templates.Render("insert.sql.tmpl", map[string]any{
		"Table":   s.table,
		"Columns": sqltext.QuoteAll(emit.ColumnNames(slices.Concat(emit.FixedColumns, columns))),
		"Values":  emit.Parameters(columns),
		"Key":     []string{sqltext.Quote(commandID)},
		"Assign":  nil,
	})
}

// claimText takes the commands that are due: in their order, by turns from each destination, or as they come.
func claimText(o Outbox, s outboxStatements) string {
	data := map[string]any{"Table": s.table, "To": "", "OrderBy": "", "Body": bodyValue(o)}
	name := "claim.sql.tmpl"
	if o.To != "" {
		data["To"], name = sqltext.Quote(o.To), "claim_to.sql.tmpl"
	}
	if o.OrderBy != "" {
		data["OrderBy"], name = sqltext.Quote(o.OrderBy), "claim_ordered.sql.tmpl"
	}
	return templates.Render(name, data)
}

// bodyValue is the column with what is sent, as bytes.
func bodyValue(o Outbox) string {
	column := "o." + sqltext.Quote(o.BodyColumn())
	if o.Body != "" && o.Column(o.Body).SQLType == "text" {
		return "convert_to(" + column + ", 'UTF8')"
	}
	return column
}
