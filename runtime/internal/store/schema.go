package store

import (
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/value"
)

// DefaultSchema is where the runtime's tables are unless a configuration says otherwise.
const DefaultSchema = "idem"

// SchemaVersion is the version of the tables that this code needs, see package migrations.
const SchemaVersion = 3

// InputGuard is the CHECK constraint that a second input under one run and node runs into.
const InputGuard = "steps_digest_check"

// In writes SQL for a schema. In the text it stands as "idem", with its quotes.
func In(schema, sql string) string {
	return strings.ReplaceAll(sql, `"idem"`, pgx.Identifier{schema}.Sanitize())
}

// Channel returns the NOTIFY channel of a schema, [DefaultSchema] if it is "". Its payloads name what has got work.
func Channel(schema string) string {
	switch {
	case schema == "":
		schema = DefaultSchema
	case len(schema) > 50:
		return value.DerivedID("idem_", schema)
	}
	return "idem_" + schema
}
