package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/sqltext"
	"github.com/idem-go/idem/templates"
)

// Refusal is a change that a person must review, since it can lose data, lock a table for long, or break
// workers that still run the code of before.
type Refusal struct {
	Column string // the column of the struct that asks for it; empty: the table as a whole
	Reason string
	SQL    string // what would do it, for review
}

// Diff leads from the table that the lock remembers to the one that the struct asks for. The change holds
// only what is additive; it is nil when nothing is.
func Diff(from, to Table) (*Change, []Refusal) {
	var added []Column
	var refusals []Refusal
	if from.Schema != to.Schema {
		refusals = append(refusals, refuseMove(from, to))
	}
	renamed, hasRenamed := findRenamed(from, to)
	if hasRenamed {
		refusals = append(refusals, renamed.refusal(to))
	}
	form := formDiff(from, to, renamed)
	for _, c := range to.Columns {
		was, found := from.Column(c.Name)
		switch {
		case found:
			refusals = append(refusals, changes(to, was, c)...)
		case hasRenamed && c.Name == renamed.To:
		case form.Takes(c.Name):
		case c.Identity || !c.Nullable && c.Default == "":
			refusals = append(refusals, refuseNew(to, c))
		default:
			added = append(added, c)
		}
	}
	for _, c := range dropped(from, to) {
		if (!hasRenamed || c.Name != renamed.From) && !form.Takes(c.Name) {
			refusals = append(refusals, refuseDrop(to, c))
		}
	}
	if !sameKey(from, to) {
		refusals = append(refusals, refuseKey(from, to))
	}
	return addColumns(to, added), append(refusals, form.Refusals()...)
}

// addColumns is the additive change; without columns there is none.
func addColumns(t Table, columns []Column) *Change {
	if len(columns) == 0 {
		return nil
	}
	var up, down, names []string
	for _, c := range columns {
		up = append(up, "ADD COLUMN "+Definition(c, false))
		down = append(down, "DROP COLUMN "+sqltext.Quote(c.Name))
		names = append(names, c.Name)
	}
	slices.Reverse(down)
	return &Change{
		Table:   t.Display(),
		Comment: fmt.Sprintf("%s also holds %s.", t.Display(), strings.Join(names, ", ")),
		Up:      Alter(t, up...),
		Down:    Alter(t, down...),
	}
}

// Alter is the statement that does all of it to a table.
func Alter(t Table, actions ...string) string {
	return templates.Render("alter_table.sql.tmpl", map[string]any{"Table": t.Quoted(), "Actions": actions})
}

func dropped(from, to Table) []Column {
	return slices.DeleteFunc(slices.Clone(from.Columns), func(c Column) bool {
		_, kept := to.Column(c.Name)
		return kept
	})
}

// Renamed is a guess: one column went, one of the same kind came. Both names are empty when nothing looks like it.
type Renamed struct{ From, To string }

func findRenamed(from, to Table) (Renamed, bool) {
	gone, come := dropped(from, to), dropped(to, from)
	if len(gone) != 1 || len(come) != 1 {
		return Renamed{}, false
	}
	a, b := gone[0], come[0]
	if !sqltext.SameType(a.Type, b.Type) || a.Nullable != b.Nullable || a.Default != b.Default || a.Identity != b.Identity {
		return Renamed{}, false
	}
	return Renamed{a.Name, b.Name}, true
}

func (r Renamed) refusal(t Table) Refusal {
	return Refusal{
		Column: r.To,
		Reason: fmt.Sprintf("column %q of %s seems to be called %q now", r.From, t.Display(), r.To),
		SQL:    Alter(t, fmt.Sprintf("RENAME COLUMN %s TO %s", sqltext.Quote(r.From), sqltext.Quote(r.To))),
	}
}

// sameKey compares keys as sets: the order of a constraint's columns says nothing about uniqueness.
func sameKey(a, b Table) bool {
	return slices.Equal(slices.Sorted(slices.Values(a.Key)), slices.Sorted(slices.Values(b.Key)))
}
