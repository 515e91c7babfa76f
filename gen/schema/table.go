package schema

import (
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// Table is the table of an effect or an outbox as idem.lock keeps it.
type Table struct {
	Schema  string   `json:"schema,omitempty"`
	Name    string   `json:"table"`
	Package string   `json:"package"` // import path of the struct
	Struct  string   `json:"struct"`
	Key     []string `json:"key"` // the columns under which a row stands once
	Columns []Column `json:"columns"`
	// Outbox is what makes the table one of commands; nil for an effect's.
	Outbox *Outbox `json:"outbox,omitempty"`
	// Retired: no struct asks for the table any more. It stays in the database, and a struct that asks for
	// it again finds it as it was left.
	Retired bool `json:"retired,omitempty"`
	// Reviews counts the changes that a person has reviewed, so that each of them is reviewed anew.
	Reviews int `json:"reviews,omitempty"`
}

// Column is one column beside those that idem adds: run_id, node, payload_digest, and for commands what relays keep.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nullable bool   `json:"nullable,omitempty"`
	Default  string `json:"default,omitempty"`
	Identity bool   `json:"identity,omitempty"`
}

// Of is the table that an effect of the package asks for.
func Of(packagePath string, e model.Effect) Table {
	return Table{
		Schema: e.Schema, Name: e.Table, Package: packagePath, Struct: e.Type, Key: e.KeyColumns(), Columns: columnsOf(e.Columns),
	}
}

func columnsOf(columns []model.Column) []Column {
	var kept []Column
	for _, c := range columns {
		kept = append(kept, Column{
			Name: c.Name, Type: c.SQLType, Nullable: c.Nullable, Default: c.Default, Identity: c.Identity,
		})
	}
	return kept
}

// Display is the table's name for people; no two tables share it.
func (t Table) Display() string { return sqltext.Display(t.Schema, t.Name) }

func (t Table) quoted() string { return sqltext.Qualified(t.Schema, t.Name) }

func (t Table) column(name string) (Column, bool) {
	for _, c := range t.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}

func (t Table) identity() (Column, bool) {
	for _, c := range t.Columns {
		if c.Identity {
			return c, true
		}
	}
	return Column{}, false
}
