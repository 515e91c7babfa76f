package migrations

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrNewer says that a later release has applied versions that this one does not know how to take back.
var ErrNewer = fmt.Errorf("the database has versions beyond %d, which this release does not know; use the release that applied them", Version)

// SchemaError says that a schema cannot have the name that was given.
type SchemaError struct {
	Schema string
	Reason string
}

// Error returns the name and what is wrong with it.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("schema %q: %s; choose another name", e.Schema, e.Reason)
}

// VersionError says that no migration has a version.
type VersionError struct {
	Version int64
}

// Error returns the version and those that there are.
func (e *VersionError) Error() string {
	return fmt.Sprintf("there is no version %d of idem's tables; this release knows 1 to %d", e.Version, Version)
}

// Error says which migration could not be made, why, and where it is known, what to do about it.
type Error struct {
	Op      string // "up", "down" or "status"
	Schema  string
	Version int64 // of the migration that failed; 0: none was begun
	Err     error
}

// Error returns all of it in one line.
func (e *Error) Error() string {
	where := ""
	if e.Version != 0 {
		where = fmt.Sprintf(", version %d", e.Version)
	}
	text := fmt.Sprintf("migrate %s, schema %q%s: %v", e.Op, e.Schema, where, e.Err)
	if fix := e.fix(); fix != "" {
		text += "; " + fix
	}
	return text
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) fix() string {
	var pgErr *pgconn.PgError
	if !errors.As(e.Err, &pgErr) {
		return ""
	}
	switch pgErr.Code {
	case "42501": // insufficient_privilege
		return "let the owner of the database create the schema and grant CREATE and USAGE on it to this role, or run `idem migrate` as a role that may"
	case "42P07", "42723": // duplicate_table, duplicate_function
		return "the schema holds tables that no applied version accounts for: choose another schema, or move them away"
	case "55P03", "57014": // lock_not_available, query_canceled
		return "it is safe to try again"
	case "25006": // read_only_sql_transaction
		return "connect to the primary server"
	}
	return ""
}
