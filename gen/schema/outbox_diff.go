package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/sqltext"
)

// outboxDiff is what is different about the parts that columns of a table of commands have. Each difference touches
// commands that wait to be sent, so none is additive.
type outboxDiff struct {
	from, to Table // a column that seems to be called otherwise now has its new name in both
	was, is  Outbox
	item     string // what was the item, under its old name
}

// newOutboxDiff gives nil for other tables.
func newOutboxDiff(from, to Table, renamed columnRename) *outboxDiff {
	if from.Outbox == nil || to.Outbox == nil {
		return nil
	}
	item := from.Outbox.Item
	from = renamed.in(from)
	return &outboxDiff{from: from, to: to, was: *from.Outbox, is: *to.Outbox, item: item}
}

// in is the table of commands once the column has its new name.
func (r columnRename) in(t Table) Table {
	o := *t.Outbox
	t.Outbox, t.Columns = &o, slices.Clone(t.Columns)
	columns := []*string{&o.To, &o.OrderBy, &o.Item, &o.Body}
	for i := range t.Columns {
		columns = append(columns, &t.Columns[i].Name)
	}
	for _, column := range columns {
		if *column != "" && *column == r.from {
			*column = r.to
		}
	}
	return t
}

// takes reports whether the statements of the difference add or drop the column.
func (d *outboxDiff) takes(column string) bool {
	return d != nil && (d.claims() && (column == d.is.To || column == d.is.OrderBy) ||
		d.items() && column == d.is.Item ||
		d.was.Body != d.is.Body && (column == d.was.Body || column == d.is.Body))
}

func (d *outboxDiff) claims() bool { return d.was.To != d.is.To || d.was.OrderBy != d.is.OrderBy }

// items: the name of the item's column is a part of a command's id.
func (d *outboxDiff) items() bool { return d.item != d.is.Item }

func (d *outboxDiff) refusals() (refusals []Refusal) {
	if d == nil {
		return nil
	}
	refuse := func(column string, statements []string, format string, args ...any) {
		refusals = append(refusals, Refusal{
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
func (d *outboxDiff) reclaim() []string {
	statements := d.compared(d.was.To, d.was.OrderBy, d.is.To, d.is.OrderBy)
	switch ordered, orders := d.was.OrderBy != "", d.is.OrderBy != ""; {
	case orders && !ordered:
		statements = append(statements, alter(d.to, `ADD COLUMN "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL`))
	case ordered && !orders:
		statements = append(statements, alter(d.to, `DROP COLUMN "seq"`))
	}
	if d.from.pendingIndex() != d.to.pendingIndex() {
		// An index goes with a column of it.
		statements = append(statements, strings.Replace(d.to.dropIndex("pending"), "INDEX", "INDEX IF EXISTS", 1), d.to.pendingIndex())
	}
	return statements
}

// compared adds the columns that are new, and lets those that stay be compared byte by byte, or not any more.
func (d *outboxDiff) compared(columns ...string) (statements []string) {
	slices.Sort(columns)
	for _, name := range slices.Compact(columns) {
		c, kept := d.to.column(name)
		_, found := d.from.column(name)
		exact := d.to.exact(name)
		switch {
		case !kept:
		case !found:
			statements = append(statements, alter(d.to, "ADD COLUMN "+definition(c, exact)))
		case found && exact != d.from.exact(name) && sqltext.Collatable(c.Type):
			statements = append(statements, alter(d.to, "ALTER COLUMN "+sqltext.Quote(name)+" TYPE "+columnType(c, exact)))
		}
	}
	return statements
}

// moveBody gives the commands that wait a body where the new code looks for it.
func (d *outboxDiff) moveBody() (statements []string) {
	source, _ := d.from.column(d.was.Body)
	target, _ := d.to.column(d.is.Body)
	column, value := sqltext.Quote(target.Name), sqltext.Quote(source.Name)
	switch {
	case source.Type == target.Type:
	case target.Type == "text":
		value = "convert_from(" + value + ", 'UTF8')"
	default:
		value = "convert_to(" + value + ", 'UTF8')"
	}
	if _, found := d.from.column(target.Name); found {
		statements = append(statements, fmt.Sprintf(`UPDATE %s SET %s = %s WHERE "state" = 'pending';`, d.to.quoted(), column, value))
	} else {
		statements = append(statements,
			alter(d.to, "ADD COLUMN "+column+" "+columnType(target, d.to.exact(target.Name))),
			fmt.Sprintf("UPDATE %s SET %s = COALESCE(%s, '');", d.to.quoted(), column, value))
		if !target.Nullable {
			statements = append(statements, alter(d.to, "ALTER COLUMN "+column+" SET NOT NULL"))
		}
	}
	if _, kept := d.to.column(source.Name); !kept {
		statements = append(statements, alter(d.to, "DROP COLUMN "+sqltext.Quote(source.Name)))
	}
	return statements
}
