package load

import (
	"context"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-go/idem/gen/model"
)

// TestImports are the further imports of generated tests. The inputs that they make up are written with
// functions of the last of them.
var TestImports = []string{model.FaultTestPath, "testing", "encoding/json", "math/big", "net", "net/netip"}

// Import keeps the packages that keep says, puts them into import order, and loads the types of all
// that they import and do not hold themselves, and of more.
func (p *Program) Import(ctx context.Context, keep func(*Package) bool, more ...string) error {
	p.Packages = slices.DeleteFunc(p.Packages, func(pkg *Package) bool { return !keep(pkg) })
	for _, pkg := range p.Packages {
		p.own[pkg.Path] = pkg
	}
	p.Packages = p.inImportOrder()
	p.imported, p.missing = map[string]*types.Package{"unsafe": types.Unsafe}, map[string]string{}
	if len(p.Packages) == 0 {
		return nil
	}
	return p.importAll(ctx, p.foreign(more))
}

// foreign returns the paths of what must come from export data, sorted.
func (p *Program) foreign(more []string) []string {
	paths := slices.Concat([]string{"time"}, slices.Collect(maps.Keys(model.Runtime)), more) // what generated code imports, and the source need not
	for _, pkg := range p.Packages {
		for _, path := range pkg.imports() {
			if p.own[path] == nil && isLoadable(path) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// isLoadable leaves out what is not a package of its own, and what the go command would read as a
// pattern and not as a path.
func isLoadable(path string) bool {
	switch path {
	case "", "C", "unsafe", "all", "std", "cmd", "tool", "work", "main":
		return false
	}
	return !strings.HasPrefix(path, ".") && !strings.HasPrefix(path, "/") &&
		!strings.ContainsAny(path, "=@ ") && !strings.Contains(path, "...")
}

// imports returns the paths that the package's files import, sorted, each once.
func (pkg *Package) imports() []string {
	var paths []string
	for _, file := range pkg.Syntax {
		paths = append(paths, importsOf(file)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func importsOf(file *ast.File) []string {
	var paths []string
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// inImportOrder puts imported packages before those that import them. Packages that do not depend on
// each other keep the order of their paths.
func (p *Program) inImportOrder() []*Package {
	var ordered []*Package
	seen := map[*Package]bool{}
	var visit func(pkg *Package)
	visit = func(pkg *Package) {
		if pkg == nil || seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, path := range pkg.imports() {
			visit(p.own[path])
		}
		ordered = append(ordered, pkg)
	}
	for _, pkg := range p.Packages {
		visit(pkg)
	}
	return ordered
}
