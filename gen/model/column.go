package model

import "github.com/idem-go/idem/gen/diag"

// Rows is the table behind a struct whose values become its rows.
type Rows struct {
	Struct  string // the struct's Go name
	Schema  string // SQL schema; empty: search_path decides
	Name    string
	Key     []string // names of the columns under which a row stands once
	Columns []Column // the author's, in struct order
	Added   []Column // what the kind puts behind them, to hold the author's data in another form
	Room    int      // how many bytes the name must leave for the names that are derived from it
}

// Tabled is a declaration with a table.
type Tabled interface {
	Declaration
	Rows() Rows
}

// Column is one column of a table, beside those that its kind adds to each.
type Column struct {
	Name     string // SQL name
	Field    string // Go selector from a value of the struct: "UserID", "Address.City"
	SQLType  string // "bigint", "numeric(12,2)", "text[]"
	Nullable bool
	// Default is the SQL expression of default:, empty without. A zero field then takes the default.
	Default string
	// Identity: the database makes the value; the column is never written, only read back.
	Identity bool
	// Pointer: the Go field is a pointer (or otherwise nil-able); with Default, nil takes the default.
	Pointer bool
	// Encode says how the field's value becomes an argument, and Decode how it is read back.
	Encode Encoding
	// Convert is the basic Go type that a Plain value becomes before it is an argument, when its own is a
	// named one that pgx would refuse or take for something else: "int64" for a time.Duration. Empty without.
	Convert string
	GoType  Type
	Pos     diag.Position
}

// Encoding is how a Go value crosses to Postgres.
type Encoding string

// The encodings.
const (
	Plain Encoding = "plain" // pgx encodes it as it is
	JSON  Encoding = "json"  // the value is marshalled: json and jsonb columns of arbitrary Go types
	Text  Encoding = "text"  // Stringer-free text: encoding.TextMarshaler / TextUnmarshaler
	// Address: pgx encodes what the field's address stands for: Value is a method of the pointer.
	Address Encoding = "address"
	// UUID: a named or unnamed [16]byte (uuid.UUID among them).
	UUID Encoding = "uuid"
	// Uint64: an unsigned 64-bit integer in a numeric(20,0) column.
	Uint64 Encoding = "uint64"
	// Array: a slice that pgx would not know by its Go type alone. It is read back as it is.
	Array Encoding = "array"
)
