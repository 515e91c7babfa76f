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
		refuse(Alter(t, column+" TYPE "+ColumnType(is, t.Exact(is.Name))), "was %s and is %s now", was.Type, is.Type)
	}
	switch {
	case was.Nullable && !is.Nullable:
		refuse(Alter(t, column+" SET NOT NULL"), "could be NULL and cannot now")
	case !was.Nullable && is.Nullable:
		refuse(Alter(t, column+" DROP NOT NULL"), "could not be NULL and can now")
	}
	switch {
	case was.Default == is.Default:
	case is.Default == "":
		refuse(Alter(t, column+" DROP DEFAULT"), "has lost its default %s", was.Default)
	default:
		refuse(Alter(t, column+" SET DEFAULT "+sqltext.Default(is.Default)), "has the new default %s", is.Default)
	}
	switch {
	case was.Identity && !is.Identity:
		refuse(Alter(t, column+" DROP IDENTITY"), "was made by the database and is not now")
	case !was.Identity && is.Identity:
		refuse(Alter(t, column+" ADD GENERATED ALWAYS AS IDENTITY"), "is to be made by the database now")
	}
	return refusals
}

func refuseNew(t Table, c Column) Refusal {
	reason := fmt.Sprintf("the new column %q of %s has no value for the rows that are there: make the field a pointer or give it default:", c.Name, t.Display())
	switch {
	case c.Identity:
		reason = fmt.Sprintf("the new identity column %q of %s numbers the rows that are there", c.Name, t.Display())
	case t.Form != nil:
		reason = fmt.Sprintf("the new column %q of %s has no value for the %s that are there: make the field a pointer", c.Name, t.Display(), t.Form.Holds())
	}
	return Refusal{
		Column: c.Name, Reason: reason, SQL: Alter(t, "ADD COLUMN "+Definition(c, t.Exact(c.Name))),
	}
}

func refuseDrop(t Table, c Column) Refusal {
	return Refusal{
		Reason: fmt.Sprintf("%s no longer has a field for the column %q of %s", t.Struct, c.Name, t.Display()),
		SQL:    Alter(t, "DROP COLUMN "+sqltext.Quote(c.Name)),
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
		SQL: Alter(to, "DROP CONSTRAINT "+sqltext.Quote(name), "ADD "+constraint(name, kind, to.Key)),
	}
}
