package gen

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/output"
	"github.com/idem-go/idem/gen/schema"
)

// part is what one idem.lock is about.
type part struct {
	base     string // the run's folder
	lockPath string
	module   module
	scope    scope
	sources  []source
}

// divide sorts the packages by the locks that they belong to, and finds the locks that the patterns reach
// although no package there bears directives any more.
func divide(dir string, s scope, sources []source) ([]*part, error) {
	parts := map[string]*part{}
	at := func(lockPath string) *part {
		if parts[lockPath] == nil {
			parts[lockPath] = &part{base: dir, lockPath: lockPath, module: moduleOf(filepath.Dir(lockPath)), scope: s}
		}
		return parts[lockPath]
	}
	for _, src := range sources {
		lockPath, err := lock.Locate(src.model.Dir)
		if err != nil {
			return nil, err
		}
		p := at(lockPath)
		p.sources = append(p.sources, src)
	}
	reached, err := reachedLocks(dir, s)
	if err != nil {
		return nil, err
	}
	for _, lockPath := range reached {
		at(lockPath)
	}
	ordered := make([]*part, 0, len(parts))
	for _, lockPath := range slices.Sorted(maps.Keys(parts)) {
		ordered = append(ordered, parts[lockPath])
	}
	return ordered, nil
}

// reachedLocks are the lock files that exist above, in and below the folders that the patterns name.
func reachedLocks(dir string, s scope) ([]string, error) {
	var reached []string
	for _, p := range s {
		folder := p.folder(moduleOf(dir))
		above, err := lock.Locate(folder)
		if err != nil {
			continue // no module, no lock
		}
		if _, err := os.Stat(above); err == nil {
			reached = append(reached, above)
		}
		if !p.wild {
			continue
		}
		below, err := locksBelow(folder)
		if err != nil {
			return nil, err
		}
		reached = append(reached, below...)
	}
	return reached, nil
}

// run leads the part's lock on and adds its files to the result.
func (p *part) run(o Options, result *Result, renamed map[string]bool) error {
	current, err := lock.Read(p.lockPath, p.rel(p.lockPath))
	if err != nil {
		return err
	}
	if err := p.settings(current, o); err != nil {
		return err
	}
	generated := p.generated()
	next, err := current.Next(lock.Run{
		Dir: p.dir(), Name: p.rel(p.lockPath), Packages: p.models(), Generated: generated,
		Covers: p.covers, CoversDir: p.coversDir, Renames: o.Renames,
	})
	if err != nil {
		return err
	}
	for _, old := range next.Renamed {
		renamed[old] = true
	}
	result.Notes = append(result.Notes, next.Notes...)
	return p.compare(result, next, generated)
}

// compare sets what should be against what is on disk.
func (p *part) compare(result *Result, next *lock.Next, generated map[string][]byte) error {
	var list diag.List
	add := func(name string, content []byte, kind output.Kind) error {
		path := p.path(name)
		f, err := output.Compare(path, p.rel(path), content, kind)
		if foreign, ok := errors.AsType[*output.ForeignError](err); ok {
			list.Add(diag.Position{File: foreign.Rel, Line: 1, Column: 1}, "foreign-file", foreign.Fix(), "%s", foreign.Reason())
			return nil
		}
		result.Files = append(result.Files, f)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(generated)) {
		if err := add(name, generated[name], output.Generated); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(next.Migrations)) {
		if err := add(name, next.Migrations[name], output.Once); err != nil {
			return err
		}
	}
	encoded, err := next.Lock.Encode()
	if err != nil {
		return err
	}
	if err := add(lock.FileName, encoded, output.Owned); err != nil {
		return err
	}
	if len(list) > 0 {
		return list.Sorted()
	}
	return p.orphans(result, next.Orphans)
}

func (p *part) orphans(result *Result, names []string) error {
	for _, name := range names {
		path := p.path(name)
		f, found, err := output.Orphan(path, p.rel(path))
		if err != nil {
			return err
		}
		if found {
			result.Files = append(result.Files, f)
		}
	}
	return nil
}

// settings takes over what the options say about migrations.
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
