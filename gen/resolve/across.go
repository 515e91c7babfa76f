package resolve

import (
	"os"
	"path/filepath"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
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
		for _, d := range p.Declarations {
			u.declaration(p.root, d)
		}
	}
	return u.list
}

// unique watches over the names of a run.
type unique struct {
	taken map[place]string // what has a name, and where
	list  diag.List
}

// place is a name in its space.
type place struct {
	root  string
	space model.Space
	name  string
}

// declaration claims a declaration's names for it. What has not got the first of them asks for no more.
func (u *unique) declaration(root string, d model.Declaration) {
	for _, c := range d.Claims() {
		if !u.claim(place{root, c.Space, c.Name}, c.Owner, d.At()) {
			return
		}
	}
}

// claim gives a name to what asks for it first, and reports the others.
func (u *unique) claim(p place, owner string, pos diag.Position) bool {
	first, taken := u.taken[p]
	switch {
	case !taken:
		u.taken[p] = owner + " at " + pos.String()
	case p.space == model.Table:
		u.list.Add(pos, duplicate(p.space), "give one of them another table=", "table %s is written by the %s already", p.name, first)
	default:
		u.list.Add(pos, duplicate(p.space), "choose another name", "the name %s is taken by the %s", p.name, first)
	}
	return !taken
}

// duplicate is the code of what is wrong with a second name in a space.
func duplicate(space model.Space) string { return "duplicate-" + string(space) }

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
