package gen

import (
	"path/filepath"
	"strings"

	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/schema"
)

// part is what one idem.lock is about.
type part struct {
	base     string // the run's folder
	lockPath string
	module   module
	scope    scope
	sources  []source
	format   lock.Format
}

// run leads the part's lock on and adds its files to the result.
func (p *part) run(o Options, result *Result, renamed map[string]bool) error {
	current, err := lock.Read(p.lockPath, p.rel(p.lockPath), p.format)
	if err != nil {
		return err
	}
	if err := p.settings(current, o); err != nil {
		return err
	}
	if err := p.check(current, result); err != nil {
		return err
	}
	generated := p.generated()
	next, err := current.Next(lock.Run{
		Dir: p.dir(), Name: p.rel(p.lockPath), Packages: p.models(), Generated: generated,
		Covers: p.covers, CoversDir: p.coversDir, Renames: o.Renames,
	}, p.format)
	if err != nil {
		return err
	}
	for _, old := range next.Renamed {
		renamed[old] = true
	}
	result.Notes = append(result.Notes, next.Notes...)
	return p.compare(result, next, generated)
}

// settings takes over what the options say about migrations and tests.
func (p *part) settings(l *lock.Lock, o Options) error {
	if o.Migrations != "" {
		folder := o.Migrations
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(p.base, folder)
		}
		rel, err := filepath.Rel(p.dir(), folder)
		if err != nil {
			return err
		}
		l.Migrations.Dir = filepath.ToSlash(rel)
	}
	if o.MigrationsFormat != "" {
		format, err := schema.ParseFormat(o.MigrationsFormat)
		if err != nil {
			return err
		}
		l.Migrations.Format = format
	}
	if o.Tests != nil {
		l.Tests = o.Tests
	}
	return nil
}

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

func (p *part) dir() string { return filepath.Dir(p.lockPath) }

func (p *part) path(name string) string { return filepath.Join(p.dir(), filepath.FromSlash(name)) }

// rel is a path for people: relative to the run's folder where it lies below it.
func (p *part) rel(path string) string {
	rel, err := filepath.Rel(p.base, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}

// covers reports whether the patterns name a package that the lock knows. One of another module can only be
// left from before the module was renamed.
func (p *part) covers(importPath string) bool {
	dir, found := p.module.folder(importPath)
	return !found || p.scope.covers(importPath, dir)
}

func (p *part) coversDir(name string) bool {
	dir := p.path(name)
	return p.scope.covers(p.module.importPath(dir), dir)
}
