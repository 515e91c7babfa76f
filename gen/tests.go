package gen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/model"
)

// tested gives what says whether tests are generated for the package in a folder. What is wrong with a lock is
// reported when its part is run.
func tested(o Options, f lock.Format) func(dir string) bool {
	said := map[string]bool{} // by the locks that were read
	return func(dir string) bool {
		if o.Tests != nil {
			return *o.Tests
		}
		path, err := lock.Locate(dir)
		if err != nil {
			return false
		}
		if _, read := said[path]; !read {
			l, err := lock.Read(path, path, f)
			said[path] = err == nil && *l.Tests
		}
		return said[path]
	}
}

// check adds the tests of the part's handlers to what was generated, and type-checks all of it.
func (p *part) check(l *lock.Lock, result *Result) error {
	err := inParallel(len(p.sources), func(i int) error {
		src := p.sources[i]
		if *l.Tests {
			if err := p.addTests(l, src); err != nil {
				return err
			}
		}
		return src.check(src.files)
	})
	if err != nil || !*l.Tests {
		return err
	}
	for _, src := range p.sources {
		result.Notes = append(result.Notes, untested(src.model)...)
	}
	return nil
}

func (p *part) addTests(l *lock.Lock, src source) error {
	migrations, err := p.migrations(l, src.model.Dir)
	if err != nil {
		return err
	}
	code, err := emit.Tests(src.model, migrations)
	if err == nil && code != nil {
		src.files[emit.TestFileName] = code
	}
	return err
}

// unchecked says that the tests could not be checked, and what it takes to run them.
func unchecked(sources []source, why string) []string {
	if why == "" || !slices.ContainsFunc(sources, func(src source) bool { return src.files[emit.TestFileName] != nil }) {
		return nil
	}
	return []string{"the generated tests are not checked yet; run go mod tidy, and go mod vendor where the module vendors: " +
		strings.Join(strings.Fields(why), " ")}
}

// migrations is the folder of the part's migrations as seen from a package; empty when nothing of the part has a
// table and there is no such folder.
func (p *part) migrations(l *lock.Lock, from string) (string, error) {
	dir := p.path(l.Migrations.Dir)
	if _, err := os.Stat(dir); err != nil && len(l.Tables) == 0 && !p.hasTables() {
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

// untested names what has no test although it could have one, and says what it takes.
func untested(p *model.Package) (notes []string) {
	for _, d := range model.All[emit.Tested](p) {
		if !d.HasTest() {
			notes = append(notes, d.Untested())
		}
	}
	return notes
}
