package schema

import (
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// Table is a table as idem.lock keeps it.
type Table struct {
	Schema  string
	Name    string
	Package string   // import path of the struct
	Struct  string   // that asks for it
	Key     []string // the columns under which a row stands once
	Columns []Column
	// Form is what its kind makes of the table; nil for plain rows under a key.
	Form Form
	// Retired: no struct asks for the table any more. It stays in the database, and a struct that asks for
	// it again finds it as it was left.
	Retired bool
	// Reviews counts the changes that a person has reviewed, so that each of them is reviewed anew.
	Reviews int
}

// Column is one column beside those that idem adds: run_id, node, payload_digest, and what the form has.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nullable bool   `json:"nullable,omitempty"`
	Default  string `json:"default,omitempty"`
	Identity bool   `json:"identity,omitempty"`
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

// Quoted is the table's name as SQL has it.
func (t Table) Quoted() string { return sqltext.Qualified(t.Schema, t.Name) }

// Column returns the column of that name, if there is one.
func (t Table) Column(name string) (Column, bool) {
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
