package schema

import (
	"fmt"
	"strings"

	"github.com/idem-go/idem/gen/sqltext"
)

// Rename gives the table another name within its schema, and with it the constraints that are named after
// it.
func Rename(from, to Table) Change {
	return Change{
		Table:   to.Display(),
		Comment: fmt.Sprintf("%s was called %s. Workers of before fail until they run the new code.", to.Display(), from.Display()),
		Up:      renameStatements(from, to),
		Down:    renameStatements(to, from),
	}
}

func renameStatements(from, to Table) string {
	statements := []string{fmt.Sprintf("ALTER TABLE %s RENAME TO %s;", from.Quoted(), sqltext.Quote(to.Name))}
	was, is := constraintNames(from, from.Name), constraintNames(from, to.Name)
	for i := range was {
		statements = append(statements, fmt.Sprintf("ALTER TABLE %s RENAME CONSTRAINT %s TO %s;",
			to.Quoted(), sqltext.Quote(was[i]), sqltext.Quote(is[i])))
	}
	was, is = from.formIndexes(from.Name), from.formIndexes(to.Name)
	for i := range was {
		statements = append(statements, fmt.Sprintf("ALTER INDEX %s RENAME TO %s;", sqltext.Qualified(from.Schema, was[i]), sqltext.Quote(is[i])))
	}
	return strings.Join(statements, "\n")
}

// constraintNames are what a table's constraints are called when the table has that name.
func constraintNames(t Table, name string) []string {
	names := []string{sqltext.Guard(name), sqltext.KeyConstraint(name)}
	if _, found := t.identity(); found {
		names = append(names, sqltext.PrimaryKey(name))
	}
	return append(names, t.formConstraints(name)...)
}

// refuseMove refuses to take a table to another schema: which one the search path means, only the
// database knows.
func refuseMove(from, to Table) Refusal {
	schema := to.Schema
	if schema == "" {
		schema = "public"
	}
	return Refusal{
		Reason: fmt.Sprintf("%s would move to another schema, as %s", from.Display(), to.Display()),
		SQL:    fmt.Sprintf("ALTER TABLE %s SET SCHEMA %s;", from.Quoted(), sqltext.Quote(schema)),
	}
}
