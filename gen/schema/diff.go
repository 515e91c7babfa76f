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
	renamed, hasRenamed := renamedColumn(from, to)
	if hasRenamed {
		refusals = append(refusals, renamed.refusal(to))
	}
	parts := newOutboxDiff(from, to, renamed)
	for _, c := range to.Columns {
		was, found := from.column(c.Name)
		switch {
		case found:
			refusals = append(refusals, changes(to, was, c)...)
		case hasRenamed && c.Name == renamed.to:
		case parts.takes(c.Name):
		case c.Identity || !c.Nullable && c.Default == "":
			refusals = append(refusals, refuseNew(to, c))
		default:
			added = append(added, c)
		}
	}
	for _, c := range dropped(from, to) {
		if (!hasRenamed || c.Name != renamed.from) && !parts.takes(c.Name) {
			refusals = append(refusals, refuseDrop(to, c))
		}
	}
	if !sameKey(from, to) {
		refusals = append(refusals, refuseKey(from, to))
	}
	return addColumns(to, added), append(refusals, parts.refusals()...)
}

// addColumns is the additive change; without columns there is none.
func addColumns(t Table, columns []Column) *Change {
	if len(columns) == 0 {
		return nil
	}
	var up, down, names []string
	for _, c := range columns {
		up = append(up, "ADD COLUMN "+definition(c, false))
		down = append(down, "DROP COLUMN "+sqltext.Quote(c.Name))
		names = append(names, c.Name)
	}
	slices.Reverse(down)
	return &Change{
		Table:   t.Display(),
		Comment: fmt.Sprintf("%s also holds %s.", t.Display(), strings.Join(names, ", ")),
		Up:      alter(t, up...),
		Down:    alter(t, down...),
	}
}

func alter(t Table, actions ...string) string {
	return templates.Render("alter_table.sql.tmpl", map[string]any{"Table": t.quoted(), "Actions": actions})
}

func dropped(from, to Table) []Column {
	return slices.DeleteFunc(slices.Clone(from.Columns), func(c Column) bool {
		_, kept := to.column(c.Name)
		return kept
	})
}

// columnRename is a guess: one column went, one of the same kind came.
type columnRename struct{ from, to string }

func renamedColumn(from, to Table) (columnRename, bool) {
	gone, come := dropped(from, to), dropped(to, from)
	if len(gone) != 1 || len(come) != 1 {
		return columnRename{}, false
	}
	a, b := gone[0], come[0]
	if !sqltext.SameType(a.Type, b.Type) || a.Nullable != b.Nullable || a.Default != b.Default || a.Identity != b.Identity {
		return columnRename{}, false
	}
	return columnRename{a.Name, b.Name}, true
}

func (r columnRename) refusal(t Table) Refusal {
	return Refusal{
		Column: r.to,
		Reason: fmt.Sprintf("column %q of %s seems to be called %q now", r.from, t.Display(), r.to),
		SQL:    alter(t, fmt.Sprintf("RENAME COLUMN %s TO %s", sqltext.Quote(r.from), sqltext.Quote(r.to))),
	}
}

// sameKey compares keys as sets: the order of a constraint's columns says nothing about uniqueness.
func sameKey(a, b Table) bool {
	return slices.Equal(slices.Sorted(slices.Values(a.Key)), slices.Sorted(slices.Values(b.Key)))
}
