package resolve

import (
	"context"
	"errors"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/scan"
)

// Emit makes the Go file of a package from its model.
type Emit func(*model.Package) ([]byte, error)

// Tested reports whether tests are generated for the package in a folder.
type Tested func(dir string) bool

// Packages resolves the packages with directives that the patterns name, relative to dir. They are
// taken in import order, and emit is called with the model of each: what it returns becomes a part of
// the package before the packages that import it are checked. tested says which of them need what tests
// are generated from. When the source is at fault the error is a [diag.List] with everything that is wrong.
func Packages(ctx context.Context, dir string, patterns []string, kinds Kinds, tested Tested, emit Emit) (*Resolution, error) {
	found, err := scan.Packages(ctx, dir, patterns)
	if err != nil {
		return nil, err
	}
	return resolveFound(ctx, dir, found, kinds, tested, emit)
}

func resolveFound(ctx context.Context, dir string, found []*scan.Package, kinds Kinds, tested Tested, emit Emit) (*Resolution, error) {
	r := &run{kinds: kinds, prog: load.Parse(dir, found), tested: tested, placed: map[*load.Package][]directive.Placed{}}
	for _, pkg := range r.prog.Packages {
		r.readDirectives(pkg)
	}
	hasDirectives := func(pkg *load.Package) bool { return len(r.placed[pkg]) > 0 }
	if err := r.prog.Import(ctx, hasDirectives, slices.Concat(r.directiveImports(), r.testImports())...); err != nil {
		return nil, err
	}
	resolution, err := r.packages(emit)
	if err != nil {
		return nil, err
	}
	r.list = append(r.list, acrossPackages(r.scopes)...)
	if len(r.list) > 0 {
		return nil, r.list.Sorted()
	}
	return resolution, nil
}

// run is one call of [Packages].
type run struct {
	kinds  Kinds
	prog   *load.Program
	tested Tested
	placed map[*load.Package][]directive.Placed
	scopes []scoped
	list   diag.List
}

// directiveImports are what the code that is generated for the run's directives imports.
func (r *run) directiveImports() []string {
	var paths []string
	for _, placed := range r.placed {
		for _, p := range placed {
			paths = append(paths, r.kinds[r.kinds.of(p.Spec)].Imports...)
		}
	}
	return paths
}

// testImports are what the generated tests of the run import.
func (r *run) testImports() []string {
	for pkg, placed := range r.placed {
		if len(placed) > 0 && r.tested(pkg.Dir) {
			return load.TestImports
		}
	}
	return nil
}

// readDirectives finds the directives of a package. Where the syntax is wrong, only that is reported:
// what stands around a syntax error is not what its author wrote.
func (r *run) readDirectives(pkg *load.Package) {
	var list diag.List
	var placed []directive.Placed
	for _, file := range pkg.Syntax {
		placed = append(placed, r.kinds.Directives().File(r.prog.Fset, file, r.reporter(&list))...)
	}
	if len(pkg.SyntaxErr) == 0 {
		r.list, r.placed[pkg] = append(r.list, list...), placed
	} else if len(placed)+len(list) > 0 {
		r.list = append(r.list, r.prog.SyntaxDiagnostics(pkg)...)
	}
}

func (r *run) packages(emit Emit) (*Resolution, error) {
	resolution := &Resolution{NoHarness: r.prog.Missing(model.FaultTestPath)}
	for _, pkg := range r.prog.Packages {
		r.prog.Check(pkg)
		res := newResolver(r.prog, pkg, r.tested(pkg.Dir))
		m := res.resolve(r.kinds, r.placed[pkg])
		r.list = append(r.list, res.list...)
		r.scopes = append(r.scopes, scoped{lockRoot(pkg.Dir, pkg.ModuleDir), m})
		resolution.Packages = append(resolution.Packages, &Resolved{
			Model: m,
			Check: func(generated map[string][]byte) error { return r.prog.Verify(pkg, generated) },
		})
		if len(r.list) > 0 {
			continue // the run fails; the models behind are only checked
		}
		if err := r.emit(pkg, m, emit); err != nil {
			return nil, err
		}
	}
	return resolution, nil
}

func (r *run) emit(pkg *load.Package, m *model.Package, emit Emit) error {
	src, err := emit(m)
	if list, ok := errors.AsType[diag.List](err); ok {
		r.list = append(r.list, list...)
		return nil
	}
	if err != nil {
		return err
	}
	return r.prog.Join(pkg, src)
}

// reporter returns the directive package's reports to a list.
func (r *run) reporter(list *diag.List) directive.Reporter { return reporter(r.prog, list) }
