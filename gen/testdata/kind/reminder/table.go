package reminder

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/idem-go/idem/gen/schema"
	"github.com/idem-go/idem/gen/sqltext"
)

// form is the name of the form in idem.lock.
const form = "reminder"

// due is the form of a table of reminders: plain rows with an index.
type due struct {
	Days int `json:"days"`
}

// Form is what makes the table one of reminders.
func (r Reminder) Form() schema.Form { return due{int(r.After.Hours() / 24)} }

func readForm(data []byte) (schema.Form, error) {
	var d due
	return d, json.Unmarshal(data, &d)
}

func (d due) Kind() string                      { return form }
func (d due) Holds() string                     { return "reminders" }
func (d due) Exact(column string) bool          { return slices.Contains([]string{"run_id", "node"}, column) }
func (d due) Constraints(table string) []string { return nil }
func (d due) Indexes(table string) []string     { return []string{table + "_due_idx"} }

// Create makes the table, and the index after it.
func (d due) Create(t schema.Table) []schema.Change {
	index := d.Indexes(t.Name)[0]
	return []schema.Change{schema.Create(t), {
		Table: t.Display(), Comment: "What is looked at first.",
		Up:   fmt.Sprintf(`CREATE INDEX %s ON %s ("run_id");`, sqltext.Quote(index), t.Quoted()),
		Down: "DROP INDEX " + sqltext.Quote(index) + ";",
	}}
}

// Diff refuses another time.
func (d due) Diff(from, to schema.Table, _ schema.Renamed) schema.FormDiff {
	return difference{from.Form.(due).Days, d.Days}
}

type difference struct{ was, is int }

func (d difference) Takes(string) bool { return false }

func (d difference) Refusals() []schema.Refusal {
	if d.was == d.is {
		return nil
	}
	return []schema.Refusal{{Reason: fmt.Sprintf("reminders were due after %d days, and are after %d now", d.was, d.is), SQL: "SELECT 1;"}}
}
