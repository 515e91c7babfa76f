package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"runtime"

	"github.com/idem-go/idem/gen/model"
)

// Check type-checks a package without the bodies of its functions. Errors are kept and tolerated:
// which of them matter, only the directives know. The packages that it imports must come first.
func (p *Program) Check(pkg *Package) { p.check(pkg, importer{p: p}) }

func (p *Program) check(pkg *Package, imports importer) {
	pkg.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	pkg.Errors, pkg.stale = nil, false
	config := p.config(imports, func(err types.Error) { pkg.Errors = append(pkg.Errors, err) })
	config.IgnoreFuncBodies = true
	files := pkg.Syntax
	if pkg.generated != nil {
		files = append(files[:len(files):len(files)], pkg.generated)
	}
	// The error is the first of those that were kept.
	pkg.Types, _ = config.Check(pkg.Path, p.Fset, files, pkg.Info)
}

// Join makes the Go file that was generated for a package a part of it, for the packages that import
// it.
func (p *Program) Join(pkg *Package, generated []byte) error {
	file, err := p.parseFile(filepath.Join(pkg.Dir, model.GeneratedFile), generated)
	if err != nil {
		return generatedError(generated, err)
	}
	pkg.generated, pkg.stale = file, true
	return nil
}

func (p *Program) config(imports importer, report func(types.Error)) *types.Config {
	return &types.Config{
		FakeImportC: true,
		Importer:    imports,
		Sizes:       types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); ok {
				report(e)
			}
		},
	}
}

// importer gives a check the packages that it imports: those of the program as they are now, all
// others from export data. One check at a time may do so: it may have to check a package once more.
type importer struct {
	p    *Program
	held bool // by the check that this one is a part of
}

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if !i.held {
		i.p.importing.Lock()
		defer i.p.importing.Unlock()
	}
	if pkg := i.p.own[path]; pkg != nil {
		if pkg.Types == nil {
			return nil, errors.New("import cycle")
		}
		if pkg.stale {
			i.p.check(pkg, importer{p: i.p, held: true})
		}
		return pkg.Types, nil
	}
	if pkg := i.p.imported[path]; pkg != nil {
		return pkg, nil
	}
	if why := i.p.missing[path]; why != "" {
		return nil, errors.New(why)
	}
	if pkg := i.p.behind(path); pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s was not loaded", path)
}

// Missing says why a package could not be imported, or gives "".
func (p *Program) Missing(path string) string { return p.missing[path] }

// Imported returns a package that the program imports, or nil when it could not be loaded.
func (p *Program) Imported(path string) *types.Package {
	if pkg := p.own[path]; pkg != nil {
		return pkg.Types
	}
	return p.imported[path]
}
