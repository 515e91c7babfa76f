package reminder

import (
	"time"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// Reminder is an annotated struct.
type Reminder struct {
	Name    string
	Type    string // the struct's Go name
	Table   string
	After   time.Duration
	Columns []model.Column
	Pos     diag.Position
}

// space is the one that the names of reminders stand in.
const space model.Space = "reminder"

// At is where the directive stands.
func (r Reminder) At() diag.Position { return r.Pos }

// Order sorts reminders by their names.
func (r Reminder) Order() string { return r.Name }

// Selector is the struct's name.
func (r Reminder) Selector() string { return r.Type }

// GeneratedNames are the time and the address of a reminder.
func (r Reminder) GeneratedNames() []string { return []string{r.afterName(), r.urlName()} }

func (r Reminder) afterName() string { return r.Type + "After" }
func (r Reminder) urlName() string   { return r.Type + "URL" }

// Claims are the name and the table.
func (r Reminder) Claims() []model.Claim {
	return []model.Claim{
		{Space: space, Name: r.Name, Owner: "reminder"},
		{Space: model.Table, Name: sqltext.Qualified("", r.Table), Owner: "reminder"},
	}
}

// Rows is the table of the reminders.
func (r Reminder) Rows() model.Rows {
	return model.Rows{Struct: r.Type, Name: r.Table, Key: []string{"run_id", "node"}, Columns: r.Columns, Room: sqltext.DerivedRoom}
}
