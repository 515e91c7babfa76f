package gen

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
)

// part is what one idem.lock is about.
type part struct {
	lockPath string
	module   module
	lock     *lock.Lock // as it is on disk, with the settings of the run
	lockErr  error      // why it cannot be read; said with all else that is wrong
	sources  []*source
	unseen   unseen
}

// source is a package with what was generated for it.
type source struct {
	pkg   *load.Package
	model *model.Package
	files map[string][]byte // by name
}

func (p *part) dir() string { return filepath.Dir(p.lockPath) }

func (p *part) path(name string) string { return filepath.Join(p.dir(), filepath.FromSlash(name)) }

func (p *part) models() []*model.Package {
	models := make([]*model.Package, len(p.sources))
	for i, src := range p.sources {
		models[i] = src.model
	}
	return models
}

// generated is what was generated for the part, by path below the lock's folder.
func (p *part) generated() map[string][]byte {
	files := map[string][]byte{}
	for _, src := range p.sources {
		for name, content := range src.files {
			rel, err := filepath.Rel(p.dir(), filepath.Join(src.model.Dir, name))
			if err == nil {
				files[filepath.ToSlash(rel)] = content
			}
		}
	}
	return files
}

// migrations is the folder of the part's migrations as seen from a package; empty when nothing of the part has a
// table and there is no such folder.
func (p *part) migrations(from string) (string, error) {
	dir := p.path(p.lock.Migrations.Dir)
	if _, err := os.Stat(dir); err != nil && len(p.lock.Tables) == 0 && !p.hasTables() {
		return "", nil
	}
	rel, err := filepath.Rel(from, dir)
	return filepath.ToSlash(rel), err
}

func (p *part) hasTables() bool {
	for _, src := range p.sources {
		if len(model.All[model.Tabled](src.model)) > 0 {
			return true
		}
	}
	return false
}

// folder is where a package that the lock knows lies, also when the module had another name then.
func (p *part) folder(importPath string) (string, bool) {
	dir, found := p.module.folder(importPath)
	for rest := importPath; !found; {
		var deeper bool
		if _, rest, deeper = strings.Cut(rest, "/"); !deeper {
			return "", false
		}
		dir = filepath.Join(p.module.dir, filepath.FromSlash(rest))
		info, err := os.Stat(dir)
		found = err == nil && info.IsDir()
	}
	return dir, true
}

// covers reports whether the patterns name a package that the lock knows. One without a folder is gone.
func (p *part) covers(s scope, importPath string) bool {
	dir, found := p.folder(importPath)
	return !found || s.covers(p.module.importPath(dir), dir)
}

func (p *part) coversDir(s scope, name string) bool {
	dir := p.path(name)
	return s.covers(p.module.importPath(dir), dir)
}

// sees reports whether the run has seen all of a package that the lock knows.
func (p *part) sees(s scope, importPath string) bool {
	dir, found := p.folder(importPath)
	if !found && len(p.unseen.folders) > 0 {
		return false // it may be what one of these was called before
	}
	return p.covers(s, importPath) && !p.unseen.folders[dir]
}

func (p *part) seesDir(s scope, name string) bool {
	return p.coversDir(s, name) && !p.unseen.folders[p.path(name)]
}
