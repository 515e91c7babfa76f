package effect

import (
	"slices"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/resolve"
)

// key resolves key= and item= to columns that can be a key: present in every row, and given by the
// handler.
func (r resolver) key(p directive.Placed, e *Effect, columns []resolve.Column) {
	key, item := p.Arg("key"), p.Arg("item")
	if key != nil && item != nil {
		r.Add(item.Pos, "key-and-item", "put the item's field into key=", "key= and item= exclude each other: a business key already tells rows apart")
	}
	if key != nil {
		for _, name := range key.Value.([]string) {
			if c := r.KeyColumn(key, name, e.Type, columns); c != nil {
				if slices.Contains(e.Key, c.Name) {
					r.Add(key.ItemPos(name), "bad-key", "name each field once", "key= names column %s twice", c.Name)
				}
				e.Key = append(e.Key, c.Name)
			}
		}
	}
	if item != nil {
		if c := r.KeyColumn(item, item.Value.(string), e.Type, columns); c != nil {
			e.Item = c.Name
		}
	}
}

// conflict resolves on_conflict=update(…).
func (r resolver) conflict(p directive.Placed, e *Effect, columns []resolve.Column) {
	arg := p.Arg("on_conflict")
	if arg == nil || arg.Value.(directive.OnConflict).Update == nil {
		return
	}
	if p.Arg("key") == nil {
		r.Add(arg.ValuePos, "bad-update", "add key=, or remove it", "on_conflict=update has no meaning without a business key: run and node write their row once")
		return
	}
	e.OnConflict = DoUpdate
	for _, name := range arg.Value.(directive.OnConflict).Update {
		pos := arg.ItemPos(name)
		c := r.FindColumn(pos, "on_conflict", name, e.Type, columns)
		if c == nil {
			continue
		}
		switch {
		case slices.Contains(e.Key, c.Name):
			r.Add(pos, "bad-update", "remove it from the list", "on_conflict: column %s is part of the key, which stays as it is", c.Name)
		case c.Identity:
			r.Add(pos, "bad-update", "remove it from the list", "on_conflict: column %s is an identity column, which stays as it is", c.Name)
		case slices.Contains(e.UpdateColumns, c.Name):
			r.Add(pos, "bad-update", "name each field once", "on_conflict: column %s is named twice", c.Name)
		}
		e.UpdateColumns = append(e.UpdateColumns, c.Name)
	}
}
