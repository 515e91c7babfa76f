package gen

import (
	"path/filepath"

	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/scan"
	"github.com/idem-go/idem/gen/schema"
)

// task is what a run is asked to do. No stage changes it.
type task struct {
	dir     string // the run's folder, its real path
	options Options
	scope   scope
	kinds   kind.Kinds
	format  lock.Format
}

func newTask(o Options, kinds kind.Kinds) (*task, error) {
	dir, err := absolute(o.Dir)
	if err != nil {
		return nil, err
	}
	return &task{dir: dir, options: o, scope: newScope(dir, o.Patterns), kinds: kinds, format: kinds.Lock()}, nil
}

// absolute is the folder's real path, as the go command gives it.
func absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// tested says of the folders of packages whether tests are generated for them. What is wrong with a lock is said when
// its part is checked.
func (t *task) tested(found []*scan.Package) map[string]bool {
	said := map[string]bool{} // by the locks' paths
	tested := map[string]bool{}
	for _, pkg := range found {
		path, err := lock.Locate(pkg.Dir)
		if err != nil {
			continue
		}
		if _, read := said[path]; !read {
			l, err := t.readLock(path)
			said[path] = err == nil && *l.Tests
		}
		tested[pkg.Dir] = said[path]
	}
	return tested
}

// readLock reads a lock, and takes over what the options say about migrations and tests.
func (t *task) readLock(path string) (*lock.Lock, error) {
	l, err := lock.Read(path, t.rel(path), t.format)
	if err != nil {
		return nil, err
	}
	if t.options.Migrations != "" {
		folder := t.options.Migrations
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(t.dir, folder)
		}
		rel, err := filepath.Rel(filepath.Dir(path), folder)
		if err != nil {
			return nil, err
		}
		l.Migrations.Dir = filepath.ToSlash(rel)
	}
	if t.options.MigrationsFormat != "" {
		format, err := schema.ParseFormat(t.options.MigrationsFormat)
		if err != nil {
			return nil, err
		}
		l.Migrations.Format = format
	}
	if t.options.Tests != nil {
		l.Tests = t.options.Tests
	}
	return l, nil
}

// rel is a path for people: relative to the run's folder where it lies below it.
func (t *task) rel(path string) string {
	rel, err := filepath.Rel(t.dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}
