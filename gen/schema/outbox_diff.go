package schema

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/idem-go/idem/gen/sqltext"
)

// outboxRefusals are the changes of what the columns of a table of commands do. Each touches commands that wait to be
// sent, and none is additive. renamed is the column that seems to be called otherwise now: its part stays the same.
func outboxRefusals(from, to Table, renamed columnRename) []Refusal {
	if from.Outbox == nil || to.Outbox == nil {
		return nil
	}
	was, is := renamed.in(*from.Outbox), *to.Outbox
	var refusals []Refusal
	refuse := func(column, sql, format string, args ...any) {
		refusals = append(refusals, Refusal{Column: column, Reason: to.Display() + " " + fmt.Sprintf(format, args...), SQL: sql})
	}
	if was.To != is.To || was.OrderBy != is.OrderBy {
		refuse(cmp.Or(is.OrderBy, is.To), reclaim(from, to), "had %s and has %s now: relays take its commands in another way", claimed(was), claimed(is))
	}
	if from.Outbox.Item != is.Item {
		refuse(is.Item, exactly(from, to, is.Item), "had %s and has %s now: commands get other ids, and one that is queued again is sent again",
			part("item", from.Outbox.Item), part("item", is.Item))
	}
	if was.Body != is.Body {
		refuse(is.Body, moveBody(from, to), "sent the column %q and sends %q now: the commands that wait hold what is to be sent in the first", was.Body, is.Body)
	}
	return refusals
}

// claimed says what decides which commands a relay takes.
func claimed(o Outbox) string { return part("to", o.To) + " and " + part("order_by", o.OrderBy) }

func part(argument, column string) string {
	if column == "" {
		return "no " + argument + "="
	}
	return argument + "=" + column
}

// in is what the parts are once the column has its new name.
func (r columnRename) in(o Outbox) Outbox {
	for _, column := range []*string{&o.To, &o.OrderBy, &o.Item, &o.Body} {
		if *column != "" && *column == r.from {
			*column = r.to
		}
	}
	return o
}

// reclaim is what lets relays find commands in the new way: the columns' collation, the numbers that an order needs,
// the index.
func reclaim(from, to Table) string {
	var statements []string
	add := func(sql string) {
		if sql != "" {
			statements = append(statements, sql)
		}
	}
	add(exactly(from, to, to.Outbox.To))
	if to.Outbox.OrderBy != to.Outbox.To {
		add(exactly(from, to, to.Outbox.OrderBy))
	}
	switch ordered, order := from.Outbox.OrderBy != "", to.Outbox.OrderBy != ""; {
	case order && !ordered:
		add(alter(to, `ADD COLUMN "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL`))
	case ordered && !order:
		add(alter(to, `DROP COLUMN "seq"`))
	}
	if from.pendingIndex() != to.pendingIndex() {
		// An index goes with a column of it.
		add(strings.Replace(to.dropIndex("pending"), "INDEX", "INDEX IF EXISTS", 1))
		add(to.pendingIndex())
	}
	return strings.Join(statements, " ")
}

// exactly makes a column that is there be compared byte by byte, where it was not.
func exactly(from, to Table, column string) string {
	c, found := from.column(column)
	if !found || from.exact(column) || !sqltext.Collatable(c.Type) {
		return ""
	}
	return alter(to, fmt.Sprintf(`ALTER COLUMN %s TYPE %s COLLATE "C"`, sqltext.Quote(c.Name), c.Type))
}

// moveBody gives the commands that wait a body where the new code looks for it.
func moveBody(from, to Table) string {
	source, _ := from.column(from.Outbox.Body)
	target, _ := to.column(to.Outbox.Body)
	column, value := sqltext.Quote(target.Name), sqltext.Quote(source.Name)
	switch {
	case source.Type == target.Type:
	case target.Type == "text":
		value = "convert_from(" + value + ", 'UTF8')"
	default:
		value = "convert_to(" + value + ", 'UTF8')"
	}
	if _, found := from.column(target.Name); found {
		return fmt.Sprintf(`UPDATE %s SET %s = %s WHERE "state" = 'pending';`, to.quoted(), column, value)
	}
	statements := []string{
		alter(to, "ADD COLUMN "+column+" "+target.Type),
		fmt.Sprintf("UPDATE %s SET %s = COALESCE(%s, '');", to.quoted(), column, value),
	}
	if !target.Nullable {
		statements = append(statements, alter(to, "ALTER COLUMN "+column+" SET NOT NULL"))
	}
	return strings.Join(statements, " ")
}

// movesBody reports whether a new column is one that the body moves to.
func movesBody(from, to Table, renamed columnRename, c Column) bool {
	return from.Outbox != nil && to.Outbox != nil && c.Name == to.Outbox.Body && renamed.in(*from.Outbox).Body != c.Name
}
