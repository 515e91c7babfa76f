package resolve

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
)

// key resolves key= and item= to columns that can be a key: present in every row, and given by the
// handler.
func (r *resolver) key(p directive.Placed, e *model.Effect, columns []column) {
	key, item := p.Arg("key"), p.Arg("item")
	if key != nil && item != nil {
		r.add(item.Pos, "key-and-item", "put the item's field into key=", "key= and item= exclude each other: a business key already tells rows apart")
	}
	if key != nil {
		for _, name := range key.Value.([]string) {
			if c := r.keyColumn(key, name, e.Type, columns); c != nil {
				if slices.Contains(e.Key, c.Name) {
					r.add(key.ItemPos(name), "bad-key", "name each field once", "key= names column %s twice", c.Name)
				}
				e.Key = append(e.Key, c.Name)
			}
		}
	}
	if item != nil {
		if c := r.keyColumn(item, item.Value.(string), e.Type, columns); c != nil {
			e.Item = c.Name
		}
	}
}

func (r *resolver) keyColumn(arg *directive.Arg, name, owner string, columns []column) *column {
	c := r.column(arg.ItemPos(name), arg.Param.Name, name, owner, columns)
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
		r.add(arg.ItemPos(name), "bad-key", "name a plain field that the handler always sets", "%s: column %s %s", arg.Param.Name, c.Name, why)
	}
	return c
}

// column finds the column that a field or column name means in the struct called owner.
func (r *resolver) column(pos token.Pos, what, name, owner string, columns []column) *column {
	var found *column
	for i, c := range columns {
		if c.Field != name && c.Name != name && lastName(c.Field) != name {
			continue
		}
		if found != nil && found.Field != name {
			r.add(pos, "unknown-field", "use the column's name", "%s: %s means both field %s and field %s", what, name, found.Field, c.Field)
			return nil
		}
		if found == nil {
			found = &columns[i]
		}
	}
	if found == nil {
		r.add(pos, "unknown-field", fieldFix(name, columns), "%s: %s has no field or column %q", what, owner, name)
	}
	return found
}

func fieldFix(name string, columns []column) string {
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

// conflict resolves on_conflict=update(…).
func (r *resolver) conflict(p directive.Placed, e *model.Effect, columns []column) {
	arg := p.Arg("on_conflict")
	if arg == nil || arg.Value.(directive.OnConflict).Update == nil {
		return
	}
	if p.Arg("key") == nil {
		r.add(arg.ValuePos, "bad-update", "add key=, or remove it", "on_conflict=update has no meaning without a business key: run and node write their row once")
		return
	}
	e.OnConflict = model.DoUpdate
	for _, name := range arg.Value.(directive.OnConflict).Update {
		pos := arg.ItemPos(name)
		c := r.column(pos, "on_conflict", name, e.Type, columns)
		if c == nil {
			continue
		}
		switch {
		case slices.Contains(e.Key, c.Name):
			r.add(pos, "bad-update", "remove it from the list", "on_conflict: column %s is part of the key, which stays as it is", c.Name)
		case c.Identity:
			r.add(pos, "bad-update", "remove it from the list", "on_conflict: column %s is an identity column, which stays as it is", c.Name)
		case slices.Contains(e.UpdateColumns, c.Name):
			r.add(pos, "bad-update", "name each field once", "on_conflict: column %s is named twice", c.Name)
		}
		e.UpdateColumns = append(e.UpdateColumns, c.Name)
	}
}
