package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// Package is a package that the patterns name, with the Go files of its folder, without what idem generated.
type Package struct {
	Path      string // import path
	Name      string
	Dir       string // absolute
	ModuleDir string // absolute; where the go.mod of the package's module is
	Files     []File // those of the build, in order of their names; without tests
	Tests     []File // tests that may bear directives
	Excluded  []File // files that are not of this build and may bear directives; without tests
}

// Packages finds the packages below dir that the patterns name and that mention idem, in the order of
// their import paths. Patterns are those of the go command; none means ./...
func Packages(ctx context.Context, dir string, patterns []string) ([]*Package, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	listed, err := list(ctx, dir, patterns)
	if err != nil {
		return nil, err
	}
	found := make([]*Package, len(listed))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range listed {
		group.Go(func() (err error) {
			found[i], err = read(p)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(p *Package) bool { return p == nil })
	slices.SortFunc(found, func(a, b *Package) int { return cmp.Compare(a.Path, b.Path) })
	return found, nil
}

// PatternError says which packages cannot be found, or that a pattern is none.
type PatternError struct{ message string }

// Error returns the reason.
func (e *PatternError) Error() string { return e.message }

// list asks the go command for the packages. Errors of a package that has files are left to the
// stages behind: they matter only where directives stand.
func list(ctx context.Context, dir string, patterns []string) ([]*packages.Package, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedModule
	listed, err := packages.Load(&packages.Config{Context: ctx, Dir: dir, Mode: mode}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot list the packages %s: %w", strings.Join(patterns, " "), err)
	}
	var errs []error
	for _, p := range listed {
		if p.PkgPath == "command-line-arguments" {
			errs = append(errs, &PatternError{strings.Join(patterns, " ") + " names files; name packages instead"})
			continue
		}
		if len(p.GoFiles) > 0 || len(p.IgnoredFiles) > 0 {
			continue
		}
		for _, e := range p.Errors {
			errs = append(errs, &PatternError{"no package " + p.PkgPath + ": " + e.Msg})
		}
	}
	return listed, errors.Join(errs...)
}

// read returns a package with its files, or nil when none of them mentions idem.
func read(p *packages.Package) (*Package, error) {
	if p.Module == nil || !p.Module.Main || p.Dir == "" {
		return nil, nil // the standard library or a dependency: nothing is written there
	}
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, err
	}
	found := &Package{Path: p.PkgPath, Name: p.Name, Dir: p.Dir, ModuleDir: p.Module.Dir}
	mentioned := false
	for _, entry := range entries {
		path := filepath.Join(p.Dir, entry.Name())
		f, ok := readFile(path, entry)
		switch {
		case !ok || f.IsGenerated():
		case f.IsTest():
			if f.Spells() {
				found.Tests = append(found.Tests, f)
			}
		case slices.Contains(p.IgnoredFiles, path):
			if f.Spells() {
				found.Excluded = append(found.Excluded, f)
			}
		default:
			// Also what the go command could not read or parse: it is of the build until it is known not to be.
			mentioned = mentioned || mentions(f.Src)
			found.Files = append(found.Files, f)
		}
	}
	if !mentioned && len(found.Tests)+len(found.Excluded) == 0 {
		return nil, nil
	}
	return found, nil
}
