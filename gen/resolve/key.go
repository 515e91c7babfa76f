package resolve

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
)

// KeyColumn finds the column that an argument names as a part of a key: present in every row, and given by the handler.
func (r *Resolver) KeyColumn(arg *directive.Arg, name, owner string, columns []Column) *Column {
	c := r.FindColumn(arg.ItemPos(name), arg.Param.Name, name, owner, columns)
	if c == nil {
		return nil
	}
	why := ""
	switch {
	case c.Identity:
		why = "is made by the database, anew for each row"
	case c.Default != "":
		why = "can be filled in by the database"
	case c.Nullable:
		why = "can be NULL, and NULL is never equal to NULL"
	case c.Encode == model.JSON || isJSON(c.SQLType):
		why = "is JSON, which is no key"
	}
	if why != "" {
		r.Add(arg.ItemPos(name), "bad-key", "name a plain field that the handler always sets", "%s: column %s %s", arg.Param.Name, c.Name, why)
	}
	return c
}

// FindColumn finds the column that a field or column name means in the struct called owner.
func (r *Resolver) FindColumn(pos token.Pos, what, name, owner string, columns []Column) *Column {
	var found *Column
	for i, c := range columns {
		if c.Field != name && c.Name != name && lastName(c.Field) != name {
			continue
		}
		if found != nil && found.Field != name {
			r.Add(pos, "unknown-field", "use the column's name", "%s: %s means both field %s and field %s", what, name, found.Field, c.Field)
			return nil
		}
		if found == nil {
			found = &columns[i]
		}
	}
	if found == nil {
		r.Add(pos, "unknown-field", fieldFix(name, columns), "%s: %s has no field or column %q", what, owner, name)
	}
	return found
}

func fieldFix(name string, columns []Column) string {
	var known []string
	for _, c := range columns {
		known = append(known, c.Field)
	}
	if s := diag.Suggest(name, known); s != "" {
		return diag.DidYouMean(s)
	}
	return fmt.Sprintf("it has %s", strings.Join(known, ", "))
}

func lastName(selector string) string { return selector[strings.LastIndex(selector, ".")+1:] }
