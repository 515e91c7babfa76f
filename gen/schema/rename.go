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
	statements := []string{fmt.Sprintf("ALTER TABLE %s RENAME TO %s;", from.quoted(), sqltext.Quote(to.Name))}
	for _, name := range constraintNames(from) {
		statements = append(statements, fmt.Sprintf("ALTER TABLE %s RENAME CONSTRAINT %s TO %s;",
			to.quoted(), sqltext.Quote(name(from.Name)), sqltext.Quote(name(to.Name))))
	}
	for _, of := range outboxIndexes(from) {
		statements = append(statements, fmt.Sprintf("ALTER INDEX %s RENAME TO %s;",
			sqltext.Qualified(from.Schema, sqltext.OutboxIndex(from.Name, of)), sqltext.Quote(sqltext.OutboxIndex(to.Name, of))))
	}
	return strings.Join(statements, "\n")
}

// constraintNames derive the names of a table's constraints from its own.
func constraintNames(t Table) []func(table string) string {
	names := []func(string) string{sqltext.Guard, sqltext.KeyConstraint}
	if _, found := t.identity(); found {
		names = append(names, sqltext.PrimaryKey)
	}
	if t.Outbox != nil {
		for _, on := range outboxChecks {
			names = append(names, func(table string) string { return sqltext.OutboxCheck(table, on) })
		}
	}
	return names
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
		SQL:    fmt.Sprintf("ALTER TABLE %s SET SCHEMA %s;", from.quoted(), sqltext.Quote(schema)),
	}
}
