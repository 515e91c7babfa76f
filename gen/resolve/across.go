package resolve

import (
	"os"
	"path/filepath"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

// scoped is a package with the folder whose lock file it belongs to. Node names and tables are unique
// within that folder: beyond it is another program with another database.
type scoped struct {
	root string
	*model.Package
}

// acrossPackages checks what must be unique in the whole run.
func acrossPackages(packages []scoped) diag.List {
	u := unique{taken: map[place]string{}}
	for _, p := range packages {
		for _, h := range p.Handlers {
			u.node(p.root, h.Name, "handler", h.Pos)
		}
		for _, v := range p.Providers {
			u.provider(p.root, v)
		}
		for _, e := range p.Effects {
			u.table(p.root, e.Schema, e.Table, "effect", e.Pos)
		}
		for _, o := range p.Outboxes {
			u.table(p.root, o.Schema, o.Table, "outbox", o.Pos)
		}
	}
	return u.list
}

// unique watches over the names of a run.
type unique struct {
	taken map[place]string // what has a name, and where
	list  diag.List
}

// place is a name in the space of those that a diagnostic's code is about.
type place struct{ root, code, name string }

func (u *unique) node(root, name, what string, pos diag.Position) {
	u.claim(place{root, "duplicate-node", name}, what, pos, "choose another name", "the name %s is taken by the %s")
}

// provider takes the provider's name, and the node's that takes its calls back for an operator.
func (u *unique) provider(root string, v model.Provider) {
	if u.claim(place{root, "duplicate-provider", v.Name}, "provider", v.Pos, "choose another name", "the name %s is taken by the %s") && v.Undo != nil {
		u.node(root, model.UndoNode(v.Name), "undo of the provider", v.Pos)
	}
}

func (u *unique) table(root, schema, table, what string, pos diag.Position) {
	u.claim(place{root, "duplicate-table", sqltext.Qualified(schema, table)}, what, pos,
		"give one of them another table=", "table %s is written by the %s already")
}

// claim gives a name to what asks for it first, and reports the others. The form has the name and the first.
func (u *unique) claim(p place, what string, pos diag.Position, fix, form string) bool {
	first, taken := u.taken[p]
	if taken {
		u.list.Add(pos, p.code, fix, form, p.name, first)
	} else {
		u.taken[p] = what + " at " + pos.String()
	}
	return !taken
}

// lockRoot is the nearest folder at or above a package that has an idem.lock, or else its module's.
func lockRoot(dir, moduleDir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "idem.lock")); err == nil {
			return d
		}
		if d == moduleDir || d == filepath.Dir(d) {
			return moduleDir
		}
	}
}
