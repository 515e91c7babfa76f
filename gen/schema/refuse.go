package schema

import (
	"fmt"
	"strings"

	"github.com/idem-go/idem/gen/sqltext"
)

// changes refuses what is different about a column that both tables have.
func changes(t Table, was, is Column) []Refusal {
	var refusals []Refusal
	refuse := func(sql, format string, args ...any) {
		reason := fmt.Sprintf("column %q of %s %s", is.Name, t.Display(), fmt.Sprintf(format, args...))
		refusals = append(refusals, Refusal{Column: is.Name, Reason: reason, SQL: sql})
	}
	column := "ALTER COLUMN " + sqltext.Quote(is.Name)
	if !sqltext.SameType(was.Type, is.Type) {
		refuse(alter(t, column+" TYPE "+columnType(is, t.exact(is.Name))), "was %s and is %s now", was.Type, is.Type)
	}
	switch {
	case was.Nullable && !is.Nullable:
		refuse(alter(t, column+" SET NOT NULL"), "could be NULL and cannot now")
	case !was.Nullable && is.Nullable:
		refuse(alter(t, column+" DROP NOT NULL"), "could not be NULL and can now")
	}
	switch {
	case was.Default == is.Default:
	case is.Default == "":
		refuse(alter(t, column+" DROP DEFAULT"), "has lost its default %s", was.Default)
	default:
		refuse(alter(t, column+" SET DEFAULT "+sqltext.Default(is.Default)), "has the new default %s", is.Default)
	}
	switch {
	case was.Identity && !is.Identity:
		refuse(alter(t, column+" DROP IDENTITY"), "was made by the database and is not now")
	case !was.Identity && is.Identity:
		refuse(alter(t, column+" ADD GENERATED ALWAYS AS IDENTITY"), "is to be made by the database now")
	}
	return refusals
}

func refuseNew(t Table, c Column) Refusal {
	reason := "the new column %q of %s has no value for the rows that are there: make the field a pointer or give it default:"
	switch {
	case c.Identity:
		reason = "the new identity column %q of %s numbers the rows that are there"
	case t.Outbox != nil:
		reason = "the new column %q of %s has no value for the commands that are there: make the field a pointer"
	}
	return Refusal{
		Column: c.Name, Reason: fmt.Sprintf(reason, c.Name, t.Display()), SQL: alter(t, "ADD COLUMN "+definition(c, t.exact(c.Name))),
	}
}

func refuseDrop(t Table, c Column) Refusal {
	return Refusal{
		Reason: fmt.Sprintf("%s no longer has a field for the column %q of %s", t.Struct, c.Name, t.Display()),
		SQL:    alter(t, "DROP COLUMN "+sqltext.Quote(c.Name)),
	}
}

func refuseKey(from, to Table) Refusal {
	kind := "PRIMARY KEY"
	if _, found := to.identity(); found {
		kind = "UNIQUE"
	}
	name := sqltext.KeyConstraint(to.Name)
	return Refusal{
		Reason: fmt.Sprintf("the key of %s was (%s) and is (%s) now: effects in flight would be written again",
			to.Display(), strings.Join(from.Key, ", "), strings.Join(to.Key, ", ")),
		SQL: alter(to, "DROP CONSTRAINT "+sqltext.Quote(name), "ADD "+constraint(name, kind, to.Key)),
	}
}
