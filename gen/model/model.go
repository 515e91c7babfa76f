package model

import (
	"time"

	"github.com/idem-go/idem/gen/diag"
)

// Package is one Go package that bears directives.
type Package struct {
	Path string // import path
	Name string // package name
	Dir  string // absolute directory
	// Names are the identifiers of the package's scope that idem did not generate, sorted: what a
	// generated name must not collide with and what an import must not be named like.
	Names []string
	// TestNames are the further identifiers that the package's own tests declare, sorted, for the same reasons.
	TestNames []string
	Handlers  []Handler  // in order of Name
	Effects   []Effect   // in order of Type
	Outboxes  []Outbox   // in order of Type
	Providers []Provider // in order of Name
}

// HandlerKind tells an action (no output) from a step (an output).
type HandlerKind string

// The kinds of handlers.
const (
	Action HandlerKind = "action"
	Step   HandlerKind = "step"
)

// Handler is an annotated function or method.
type Handler struct {
	Kind HandlerKind
	Name string // the node name that the directive gives
	Func string // the function's or method's Go name
	Recv *Recv  // nil for a function
	In   Type
	Out  *Type // nil for an action
	// Limits as the directive gives them; zero means: not given, the runtime's default holds.
	Limits Limits
	Test   *Test  // nil: no test is generated for it
	Doc    string // first sentence of the doc comment, without the name; may be empty
	Pos    diag.Position
}

// Recv is a method's receiver.
type Recv struct {
	Type    string // the Go name of the receiver's type
	Pointer bool
}

// String writes the receiver's type.
func (r Recv) String() string {
	if r.Pointer {
		return "*" + r.Type
	}
	return r.Type
}

// Limits are the settings of a handler. Zero values mean "not given".
type Limits struct {
	Timeout     time.Duration
	MaxAttempts int
	Backoff     time.Duration // base of the exponential backoff
	MaxReclaims *int          // nil: unbounded
	MaxInput    int64         // bytes
	MaxOutput   int64         // bytes
	Queue       string
}

// Type is a Go type as it must be written in generated code.
type Type struct {
	// Expr is the type's Go expression in which every named type of another package is written as
	// ${import/path}.Name, and every named type of this package by its bare name:
	// "map[string]${github.com/acme/money}.Amount", "Page[Item]".
	Expr string
	// Imports maps each import path in Expr to the real name of its package.
	Imports map[string]string
}

// OnConflict says what a second write under the key does.
type OnConflict string

// The conflict rules. Under both, the same run and node with another payload fails closed.
const (
	DoNothing OnConflict = "nothing"
	DoUpdate  OnConflict = "update" // another run may update UpdateColumns under a business key
)

// Effect is an annotated struct: one row that a step writes once.
type Effect struct {
	Type          string // the struct's Go name
	Schema        string // SQL schema of table=, empty: search_path decides
	Table         string
	Key           []string // column names of a business key, in the order of key=; empty: run_id and node
	Item          string   // column name of item=; empty without. Never together with Key.
	OnConflict    OnConflict
	UpdateColumns []string // column names, with DoUpdate
	Columns       []Column // in struct order, embedded fields in place
	Doc           string   // first sentence of the doc comment; may be empty
	Pos           diag.Position
}

// Column is one column of an effect's table, beside run_id, node and payload_digest.
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
	// UUID: a named or unnamed [16]byte (uuid.UUID among them).
	UUID Encoding = "uuid"
	// Uint64: an unsigned 64-bit integer in a numeric(20,0) column.
	Uint64 Encoding = "uint64"
	// Array: a slice that pgx would not know by its Go type alone. It is read back as it is.
	Array Encoding = "array"
)
