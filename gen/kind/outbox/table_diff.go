package outbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/schema"
	"github.com/idem-go/idem/gen/sqltext"
)

// commandsDiff is what is different about the parts that columns of a table of commands have. Each difference touches
// commands that wait to be sent, so none is additive.
type commandsDiff struct {
	from, to schema.Table // a column that seems to be called otherwise now has its new name in both
	was, is  commands
	item     string // what was the item, under its old name
}

// Diff is what is different about the commands of a table.
func (c commands) Diff(from, to schema.Table, renamed schema.Renamed) schema.FormDiff {
	was := from.Form.(commands)
	return &commandsDiff{from: inColumns(from, renamed), to: to, was: was.in(renamed), is: c, item: was.Item}
}

// in are the parts once the column has its new name.
func (c commands) in(r schema.Renamed) commands {
	for _, column := range []*string{&c.To, &c.OrderBy, &c.Item, &c.Body} {
		rename(column, r)
	}
	return c
}

// inColumns is the table of commands once the column has its new name.
func inColumns(t schema.Table, r schema.Renamed) schema.Table {
	t.Form, t.Columns = t.Form.(commands).in(r), slices.Clone(t.Columns)
	for i := range t.Columns {
		rename(&t.Columns[i].Name, r)
	}
	return t
}

func rename(column *string, r schema.Renamed) {
	if *column != "" && *column == r.From {
		*column = r.To
	}
}

// Takes reports whether the statements of the difference add or drop the column.
func (d *commandsDiff) Takes(column string) bool {
	return d.claims() && (column == d.is.To || column == d.is.OrderBy) ||
		d.items() && column == d.is.Item ||
		d.was.Body != d.is.Body && (column == d.was.Body || column == d.is.Body)
}

func (d *commandsDiff) claims() bool { return d.was.To != d.is.To || d.was.OrderBy != d.is.OrderBy }

// items: the name of the item's column is a part of a command's id.
func (d *commandsDiff) items() bool { return d.item != d.is.Item }

// Refusals are the differences, with what would make them.
func (d *commandsDiff) Refusals() (refusals []schema.Refusal) {
	refuse := func(column string, statements []string, format string, args ...any) {
		refusals = append(refusals, schema.Refusal{
			Column: column, Reason: "the commands of " + d.to.Display() + " " + fmt.Sprintf(format, args...), SQL: strings.Join(statements, " "),
		})
	}
	if d.claims() {
		refuse(cmp.Or(d.is.OrderBy, d.is.To), d.reclaim(), "had %s and %s, and have %s and %s now: relays take them in another way",
			part("to", d.was.To), part("order_by", d.was.OrderBy), part("to", d.is.To), part("order_by", d.is.OrderBy))
	}
	if d.items() {
		columns := []string{d.was.Item, d.is.Item}
		if d.claims() { // whose statements come first
			columns = slices.DeleteFunc(columns, func(c string) bool { return c == d.is.To || c == d.is.OrderBy })
		}
		refuse(d.is.Item, d.compared(columns...), "had %s and have %s now: they get other ids, and one that is queued again is sent again",
			part("item", d.item), part("item", d.is.Item))
	}
	if d.was.Body != d.is.Body {
		refuse(d.is.Body, d.moveBody(), "were sent with the column %q and are with %q now: those that wait have what is to be sent in the first", d.was.Body, d.is.Body)
	}
	return refusals
}

func part(argument, column string) string {
	if column == "" {
		return "no " + argument + "="
	}
	return argument + "=" + column
}

// reclaim is what lets relays find commands in the new way: the columns' collation, the numbers that an order needs,
// the index.
func (d *commandsDiff) reclaim() []string {
	statements := d.compared(d.was.To, d.was.OrderBy, d.is.To, d.is.OrderBy)
	switch ordered, orders := d.was.OrderBy != "", d.is.OrderBy != ""; {
	case orders && !ordered:
		statements = append(statements, schema.Alter(d.to, `ADD COLUMN "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL`))
	case ordered && !orders:
		statements = append(statements, schema.Alter(d.to, `DROP COLUMN "seq"`))
	}
	if d.was.pendingIndex(d.from) != d.is.pendingIndex(d.to) {
		// An index goes with a column of it.
		statements = append(statements, strings.Replace(dropIndex(d.to, "pending"), "INDEX", "INDEX IF EXISTS", 1), d.is.pendingIndex(d.to))
	}
	return statements
}

// compared adds the columns that are new, and lets those that stay be compared byte by byte, or not any more.
func (d *commandsDiff) compared(columns ...string) (statements []string) {
	slices.Sort(columns)
	for _, name := range slices.Compact(columns) {
		c, kept := d.to.Column(name)
		_, found := d.from.Column(name)
		exact := d.to.Exact(name)
		switch {
		case !kept:
		case !found:
			statements = append(statements, schema.Alter(d.to, "ADD COLUMN "+schema.Definition(c, exact)))
		case found && exact != d.from.Exact(name) && sqltext.Collatable(c.Type):
			statements = append(statements, schema.Alter(d.to, "ALTER COLUMN "+sqltext.Quote(name)+" TYPE "+schema.ColumnType(c, exact)))
		}
	}
	return statements
}

// moveBody gives the commands that wait a body where the new code looks for it.
func (d *commandsDiff) moveBody() (statements []string) {
	source, _ := d.from.Column(d.was.Body)
	target, _ := d.to.Column(d.is.Body)
	column, value := sqltext.Quote(target.Name), sqltext.Quote(source.Name)
	switch {
	case source.Type == target.Type:
	case target.Type == "text":
		value = "convert_from(" + value + ", 'UTF8')"
	default:
		value = "convert_to(" + value + ", 'UTF8')"
	}
	if _, found := d.from.Column(target.Name); found {
		statements = append(statements, fmt.Sprintf(`UPDATE %s SET %s = %s WHERE "state" = 'pending';`, d.to.Quoted(), column, value))
	} else {
		statements = append(statements,
			schema.Alter(d.to, "ADD COLUMN "+column+" "+schema.ColumnType(target, d.to.Exact(target.Name))),
			fmt.Sprintf("UPDATE %s SET %s = COALESCE(%s, '');", d.to.Quoted(), column, value))
		if !target.Nullable {
			statements = append(statements, schema.Alter(d.to, "ALTER COLUMN "+column+" SET NOT NULL"))
		}
	}
	if _, kept := d.to.Column(source.Name); !kept {
		statements = append(statements, schema.Alter(d.to, "DROP COLUMN "+sqltext.Quote(source.Name)))
	}
	return statements
}
