package load

import (
	"context"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// always are the imports of generated code that the source itself need not have.
var always = []string{"time", RuntimePath}

// DirectiveImports are the imports of what is generated for a directive, by its name, that come on top of those.
var DirectiveImports = map[string][]string{
	"effect":   {implPath},
	"outbox":   {"context", implPath, RuntimePath + "/outbox", "github.com/jackc/pgx/v5/pgxpool"},
	"provider": {RuntimePath + "/provider"},
}

// implPath is the import path of the package with what only generated code calls.
const implPath = RuntimePath + "/idemimpl"

// FaultTestPath is the import path of the package that generated tests call.
const FaultTestPath = RuntimePath + "/faulttest"

// TestImports are the further imports of generated tests. The inputs that they make up are written with
// functions of the last of them.
var TestImports = []string{FaultTestPath, "testing", "encoding/json", "math/big", "net", "net/netip"}

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

// foreign gives the paths of what must come from export data, sorted.
func (p *Program) foreign(more []string) []string {
	paths := slices.Concat(always, more)
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

// imports gives the paths that the package's files import, sorted, each once.
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
