package scan

import (
	"bytes"
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

	"github.com/idem-go/idem/gen/model"
)

// Package is a package that the patterns name, with the Go files of its build, without tests.
type Package struct {
	Path      string // import path
	Name      string
	Dir       string // absolute
	ModuleDir string // absolute; where the go.mod of the package's module is
	Files     []File // in order of their names, without what idem generated; nil unless one mentions idem
}

// File is a Go file of a package.
type File struct {
	Path string // absolute
	Src  []byte
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
	found := &Package{Path: p.PkgPath, Name: p.Name}
	mentioned := false
	for _, path := range slices.Sorted(slices.Values(p.GoFiles)) {
		if !strings.HasSuffix(path, ".go") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found.Dir = filepath.Dir(path)
		if IsGenerated(path, src) {
			continue
		}
		mentioned = mentioned || mentions(src)
		found.Files = append(found.Files, File{Path: path, Src: src})
	}
	if !mentioned {
		return nil, nil
	}
	if p.Module == nil || !p.Module.Main {
		return nil, nil // the standard library or a dependency: nothing is written there
	}
	found.ModuleDir = p.Module.Dir
	return found, nil
}

// IsGenerated reports whether a file is one that idem wrote.
func IsGenerated(path string, src []byte) bool {
	return filepath.Base(path) == model.GeneratedFile && bytes.HasPrefix(src, []byte(model.GeneratedHeader))
}
