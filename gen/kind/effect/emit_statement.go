package effect

import (
	"fmt"
	"slices"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
	"github.com/idem-go/idem/templates"
)

// statements is the SQL of one effect, as idemimpl.Effect takes it.
type statements struct {
	table     string
	columns   []string // of the arguments
	key       []int    // places in columns
	guard     string
	insert    string
	group     string // empty: none
	returning string
	selects   string
}

func newStatements(e Effect) statements {
	written := slices.DeleteFunc(slices.Clone(e.Columns), func(c model.Column) bool { return c.Identity })
	s := statements{
		table:   sqltext.Qualified(e.Schema, e.Table),
		columns: emit.ColumnNames(written),
		guard:   sqltext.Guard(e.Table),
	}
	key := keyFields(e)
	for _, name := range key {
		s.key = append(s.key, slices.Index(s.columns, name))
	}
	s.insert = insertText(e, s, written)
	if len(e.Key) == 0 && e.OnConflict != DoUpdate {
		s.group = emit.GroupText(s.table, written, e.KeyColumns())
	}
	s.returning = returningText(e)
	s.selects = selectText(e, s, key)
	return s
}

func returningText(e Effect) string {
	read := sqltext.QuoteAll(emit.ColumnNames(e.Columns))
	if e.OnConflict == DoUpdate {
		read = append(read, "(xmax = 0) AS inserted")
	}
	return "\n" + templates.Render("returning.sql.tmpl", map[string]any{"Stored": read})
}

func insertText(e Effect, s statements, written []model.Column) string {
	return templates.Render("insert.sql.tmpl", map[string]any{
		"Table":   s.table,
		"Columns": sqltext.QuoteAll(emit.ColumnNames(slices.Concat(emit.FixedColumns, written))),
		"Values":  emit.Parameters(written),
		"Key":     sqltext.QuoteAll(e.KeyColumns()),
		"Assign":  assignments(e),
	})
}

// assignments is what another run changes in a row that it finds under its business key.
func assignments(e Effect) []string {
	if e.OnConflict != DoUpdate {
		return nil
	}
	var set []string
	for _, name := range append([]string{"run_id", "node"}, e.UpdateColumns...) {
		set = append(set, fmt.Sprintf("%s = EXCLUDED.%[1]s", sqltext.Quote(name)))
	}
	return set
}

// selectText casts to the columns' full types: a key is looked for as it was stored.
func selectText(e Effect, s statements, key []string) string {
	var match []string
	for _, name := range e.KeyColumns() {
		columnType := "text"
		if slices.Contains(key, name) {
			columnType = e.Columns[slices.IndexFunc(e.Columns, func(c model.Column) bool { return c.Name == name })].SQLType
		}
		match = append(match, fmt.Sprintf("%s = $%d::%s", sqltext.Quote(name), len(match)+1, columnType))
	}
	return templates.Render("select.sql.tmpl", map[string]any{
		"Table": s.table, "Stored": sqltext.QuoteAll(emit.ColumnNames(e.Columns)), "Match": match,
	})
}

// keyFields are the columns of the struct that are part of the key.
func keyFields(e Effect) []string {
	if e.Item != "" {
		return []string{e.Item}
	}
	return e.Key
}
