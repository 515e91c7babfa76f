package effect

import (
	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

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
	UpdateColumns []string       // column names, with DoUpdate
	Columns       []model.Column // in struct order, embedded fields in place
	Doc           string         // first sentence of the doc comment; may be empty
	Pos           diag.Position
}

// At is where the directive stands.
func (e Effect) At() diag.Position { return e.Pos }

// Order sorts effects by their structs' names.
func (e Effect) Order() string { return e.Type }

// Selector is the struct's name.
func (e Effect) Selector() string { return e.Type }

// Claims is the table.
func (e Effect) Claims() []model.Claim {
	return []model.Claim{{Space: model.Table, Name: sqltext.Qualified(e.Schema, e.Table), Owner: "effect"}}
}

// Rows is the table that the effect is written to.
func (e Effect) Rows() model.Rows {
	return model.Rows{
		Struct: e.Type, Schema: e.Schema, Name: e.Table, Key: e.KeyColumns(), Columns: e.Columns, Room: sqltext.DerivedRoom,
	}
}

// KeyColumns are the columns under which a row is written once, in the order of the table's constraint.
func (e Effect) KeyColumns() []string {
	switch {
	case len(e.Key) > 0:
		return e.Key
	case e.Item != "":
		return []string{"run_id", "node", e.Item}
	}
	return []string{"run_id", "node"}
}

// EffectName is the name of the generated description of the table: ledgerEntryEffect.
func (e Effect) EffectName() string {
	return model.LowerFirst(e.Type) + "Effect"
}

// RecordName is the name of the generated function that keeps a row until the completion.
func (e Effect) RecordName() string { return e.verb("Record") }

// InsertName is the name of the generated function that writes a row at once.
func (e Effect) InsertName() string { return e.verb("Insert") }

// GeneratedNames are the names that the effect adds to its package's scope.
func (e Effect) GeneratedNames() []string {
	return []string{e.EffectName(), e.RecordName(), e.InsertName()}
}

func (e Effect) verb(verb string) string {
	if !model.IsExported(e.Type) {
		verb = model.LowerFirst(verb)
	}
	return verb + model.UpperFirst(e.Type)
}
