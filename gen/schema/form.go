package schema

import (
	"slices"

	"github.com/idem-go/idem/gen/model"
)

// Form is what a kind makes of its tables beyond rows under a key. The value is plain data: idem.lock keeps it, and
// reviewed changes are told apart by it. A table without one is of plain rows.
type Form interface {
	// Kind is the name of the form, as idem.lock has it.
	Kind() string
	// Holds says for people what the rows of such a table are.
	Holds() string
	// Create makes the table and what belongs to it.
	Create(t Table) []Change
	// Exact reports whether values of a column are compared byte by byte.
	Exact(column string) bool
	// Constraints and Indexes are the names that the form derives from the table's, beside those of each table. They come
	// in an order that does not depend on the name.
	Constraints(table string) []string
	Indexes(table string) []string
	// Diff is what is different about the form of a table.
	Diff(from, to Table, renamed Renamed) FormDiff
}

// FormDiff is a difference between two forms of one kind. It is never additive.
type FormDiff interface {
	// Takes reports whether the statements of the difference add or drop the column.
	Takes(column string) bool
	Refusals() []Refusal
}

// Formed is a declaration whose table has a form.
type Formed interface {
	model.Tabled
	Form() Form
}

// Forms read what idem.lock keeps of a form, by its kind. The error says that something is missing.
type Forms map[string]func(data []byte) (Form, error)

// Of is the table that a declaration of the package asks for.
func Of(packagePath string, d model.Tabled) Table {
	rows := d.Rows()
	t := Table{
		Schema: rows.Schema, Name: rows.Name, Package: packagePath, Struct: rows.Struct, Key: rows.Key,
		Columns: columnsOf(slices.Concat(rows.Columns, rows.Added)),
	}
	if f, ok := d.(Formed); ok {
		t.Form = f.Form()
	}
	return t
}

// Kind is the name of the table's form; empty for plain rows.
func (t Table) Kind() string {
	if t.Form == nil {
		return ""
	}
	return t.Form.Kind()
}

// Holds says for people what the rows of the table are.
func (t Table) Holds() string {
	if t.Form == nil {
		return "the rows of an effect"
	}
	return t.Form.Holds()
}

// Create makes the table.
func (t Table) Create() []Change {
	if t.Form == nil {
		return []Change{Create(t)}
	}
	return t.Form.Create(t)
}

// Exact reports whether values of a column are compared byte by byte.
func (t Table) Exact(column string) bool {
	if t.Form == nil {
		return slices.Contains(t.Key, column)
	}
	return t.Form.Exact(column)
}

func (t Table) formConstraints(table string) []string {
	if t.Form == nil {
		return nil
	}
	return t.Form.Constraints(table)
}

func (t Table) formIndexes(table string) []string {
	if t.Form == nil {
		return nil
	}
	return t.Form.Indexes(table)
}

// formDiff is the difference between the forms of two tables; without two of one kind there is none.
func formDiff(from, to Table, renamed Renamed) FormDiff {
	if from.Form == nil || to.Form == nil || from.Kind() != to.Kind() {
		return noDiff{}
	}
	return to.Form.Diff(from, to, renamed)
}

type noDiff struct{}

func (noDiff) Takes(string) bool   { return false }
func (noDiff) Refusals() []Refusal { return nil }
