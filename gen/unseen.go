package gen

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
)

// unseen is what a part's lock remembers and a run cannot say anything of, since it stands in files that it does not
// read: of another build, of a folder that the go command passes over. That stays as it is.
type unseen struct {
	folders map[string]bool // absolute
	files   []load.Absent   // in these folders
}

// lookForUnseen looks into the folders that the part's lock knows and that no package with directives lies in: what is
// gone from there is gone only if nothing there may still bear directives.
func (t *task) lookForUnseen(program *load.Program, p *part, seen map[string]bool) (diag.List, error) {
	p.unseen.folders = map[string]bool{}
	var all diag.List
	for _, dir := range p.known(t.scope) {
		if seen[dir] {
			continue
		}
		files, wrong, err := program.Hidden(dir, t.kinds.Directives())
		if err != nil {
			return nil, err
		}
		all = append(all, wrong...)
		if len(files) > 0 {
			p.unseen.folders[dir] = true
			p.unseen.files = append(p.unseen.files, files...)
		}
	}
	return all, nil
}

// known are the folders that the lock has something of and the patterns name, sorted.
func (p *part) known(s scope) []string {
	folders := map[string]bool{}
	for name := range p.lock.Files {
		if dir := path.Dir(name); p.coversDir(s, dir) {
			folders[p.path(dir)] = true
		}
	}
	for importPath := range p.owned() {
		if dir, found := p.folder(importPath); found && p.covers(s, importPath) {
			folders[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// owned is what the lock has of each package, by import path: what it stands on, and what it is for people.
func (p *part) owned() map[string]map[string]string {
	all := map[string]map[string]string{}
	own := func(importPath, selector, what string) {
		if all[importPath] == nil {
			all[importPath] = map[string]string{}
		}
		all[importPath][selector] = what
	}
	for _, sec := range slices.Sorted(maps.Keys(p.lock.Names)) {
		for _, name := range slices.Sorted(maps.Keys(p.lock.Names[sec])) {
			importPath, selector := p.lock.Names[sec][name].Owner()
			own(importPath, selector, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.lock.Tables)) {
		if table := p.lock.Tables[name]; !table.Retired {
			own(table.Package, table.Struct, name)
		}
	}
	return all
}

// halved reports what the lock has of a package that stands in a file of another build now, while others of the
// package's directives are of this one: one file is generated for all of them, and would lose a part with every run.
func (p *part) halved(absent []load.Absent) (list diag.List) {
	owned := p.owned()
	for _, src := range p.sources {
		gone := maps.Clone(owned[src.model.Path])
		for _, d := range model.All[model.Declaration](src.model) {
			delete(gone, d.Selector())
		}
		for _, a := range absent {
			if a.Dir != src.model.Dir {
				continue
			}
			for _, selector := range slices.Sorted(maps.Keys(gone)) {
				if a.MayDeclare(selector) {
					list.Add(a.Pos, "build-constraint",
						"let the directives of a package stand under one build constraint, and what differs in other files; or give these a package of their own",
						"%s has %q of %s, which may stand here, and others of the package are of this build: %s", lock.FileName, gone[selector], selector, a.Why)
				}
			}
		}
	}
	return list
}

// unseenNotes say which files were not looked at, each once.
func unseenNotes(program *load.Program, parts []checked) []string {
	files := slices.Clone(program.Absent)
	for _, p := range parts {
		files = append(files, p.unseen.files...)
	}
	notes := map[string]bool{}
	for _, a := range files {
		notes[fmt.Sprintf("%s: not looked at: %s; what %s has of it and what was generated for it stay",
			filepath.ToSlash(a.Pos.String()), a.Why, lock.FileName)] = true
	}
	return slices.Sorted(maps.Keys(notes))
}
