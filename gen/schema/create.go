package schema

import (
	"fmt"
	"strings"

	"github.com/idem-go/idem/gen/sqltext"
	"github.com/idem-go/idem/templates"
)

// Change is one step of a migration, with the way back.
type Change struct {
	Table    string // for people and file names
	Comment  string // one line, or several
	Up, Down string // one statement or several, each ended by a semicolon
}

// Create makes the table.
func Create(t Table) Change {
	lines := []string{
		`"run_id" text COLLATE "C" NOT NULL`,
		`"node" text COLLATE "C" NOT NULL`,
		fmt.Sprintf(`"payload_digest" bytea NOT NULL CONSTRAINT %s CHECK (octet_length("payload_digest") = 32)`,
			sqltext.Quote(sqltext.Guard(t.Name))),
	}
	for _, c := range t.Columns {
		lines = append(lines, Definition(c, t.Exact(c.Name)))
	}
	lines = append(lines, constraints(t)...)
	for i := range lines[:len(lines)-1] {
		lines[i] += ","
	}
	return Change{
		Table:   t.Display(),
		Comment: fmt.Sprintf("%s holds one row per %s; idem writes it with the step's completion.", t.Display(), per(t.Key)),
		Up:      templates.Render("create_table.sql.tmpl", map[string]any{"Table": t.Quoted(), "Lines": lines}),
		Down:    fmt.Sprintf("DROP TABLE %s;", t.Quoted()),
	}
}

// ColumnType is the type with its collation. Keys are compared byte by byte: no collation makes two keys one.
func ColumnType(c Column, key bool) string {
	if key && sqltext.Collatable(c.Type) {
		return c.Type + ` COLLATE "C"`
	}
	return c.Type
}

// Definition writes a column.
func Definition(c Column, key bool) string {
	parts := []string{sqltext.Quote(c.Name), ColumnType(c, key)}
	switch {
	case c.Identity:
		return strings.Join(append(parts, "GENERATED ALWAYS AS IDENTITY"), " ")
	case !c.Nullable:
		parts = append(parts, "NOT NULL")
	}
	if c.Default != "" {
		parts = append(parts, "DEFAULT "+sqltext.Default(c.Default))
	}
	return strings.Join(parts, " ")
}

// constraints are the key, and the primary key where that is another column.
func constraints(t Table) []string {
	key := constraint(sqltext.KeyConstraint(t.Name), "PRIMARY KEY", t.Key)
	id, found := t.identity()
	if !found {
		return []string{key}
	}
	return []string{
		constraint(sqltext.KeyConstraint(t.Name), "UNIQUE", t.Key),
		constraint(sqltext.PrimaryKey(t.Name), "PRIMARY KEY", []string{id.Name}),
	}
}

func constraint(name, kind string, columns []string) string {
	return fmt.Sprintf("CONSTRAINT %s %s (%s)", sqltext.Quote(name), kind, strings.Join(sqltext.QuoteAll(columns), ", "))
}

// per says of which key there is one row each.
func per(key []string) string {
	if key[0] == "run_id" {
		key = append([]string{"run"}, key[1:]...)
	}
	last := len(key) - 1
	if last == 0 {
		return key[0]
	}
	return strings.Join(key[:last], ", ") + " and " + key[last]
}
