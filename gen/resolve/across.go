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
	var list diag.List
	type key struct{ root, name string }
	nodes, providers := map[key]diag.Position{}, map[key]diag.Position{}
	tables := map[key]string{}
	claimTable := func(root, schema, table, owner string, pos diag.Position) {
		k := key{root, sqltext.Qualified(schema, table)}
		if first, ok := tables[k]; ok {
			list.Add(pos, "duplicate-table", "give one of them another table=", "table %s is written by the %s already", k.name, first)
		} else {
			tables[k] = owner + " at " + pos.String()
		}
	}
	for _, p := range packages {
		for _, h := range p.Handlers {
			k := key{p.root, h.Name}
			if first, ok := nodes[k]; ok {
				list.Add(h.Pos, "duplicate-node", "choose another name", "the name %s is taken by the handler at %s", h.Name, first)
			} else {
				nodes[k] = h.Pos
			}
		}
		for _, v := range p.Providers {
			k := key{p.root, v.Name}
			if first, ok := providers[k]; ok {
				list.Add(v.Pos, "duplicate-provider", "choose another name", "the name %s is taken by the provider at %s", v.Name, first)
			} else {
				providers[k] = v.Pos
			}
		}
		for _, e := range p.Effects {
			claimTable(p.root, e.Schema, e.Table, "effect", e.Pos)
		}
		for _, o := range p.Outboxes {
			claimTable(p.root, o.Schema, o.Table, "outbox", o.Pos)
		}
	}
	for _, p := range packages {
		for _, v := range p.Providers {
			if node, ok := nodes[key{p.root, model.UndoNode(v.Name)}]; ok && v.Undo != nil {
				list.Add(node, "duplicate-node", "choose another name", "the name %s is taken by the undo of the provider at %s", model.UndoNode(v.Name), v.Pos)
			}
		}
	}
	return list
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
