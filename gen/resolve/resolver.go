package resolve

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/model"
)

// resolver makes the model of one package.
type resolver struct {
	prog   *load.Program
	pkg    *load.Package
	fields map[*types.Var]*ast.Field // the struct fields that the package's files declare
	model  *model.Package
	names  *generatedNames
	tests  bool           // tests are generated
	tested *types.Package // the package with its own tests, once it is asked for
	list   diag.List
}

func newResolver(prog *load.Program, pkg *load.Package, tests bool) *resolver {
	r := &resolver{
		prog: prog, pkg: pkg, fields: declaredFields(pkg), tests: tests,
		model: &model.Package{Path: pkg.Path, Name: pkg.Name, Dir: pkg.Dir, Names: pkg.Types.Scope().Names()},
	}
	r.names = newGeneratedNames(r)
	return r
}

func (r *resolver) resolve(placed []directive.Placed) *model.Package {
	r.onePackage()
	r.importable(placed)
	r.shadowed()
	for _, p := range placed {
		switch p.Spec.Name {
		case "effect":
			r.effect(p)
		case "outbox":
			r.outbox(p)
		case "provider":
			r.provider(p)
		default:
			r.handler(p)
		}
	}
	r.model.TestNames = r.testNames()
	slices.SortStableFunc(r.model.Handlers, func(a, b model.Handler) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(r.model.Effects, func(a, b model.Effect) int { return cmp.Compare(a.Type, b.Type) })
	slices.SortStableFunc(r.model.Providers, func(a, b model.Provider) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(r.model.Outboxes, func(a, b model.Outbox) int { return cmp.Compare(a.Type, b.Type) })
	return r.model
}

// onePackage reports files that name another package than the first one does. The go command refuses
// such a folder, and what is generated could be of either.
func (r *resolver) onePackage() {
	for _, file := range r.pkg.Syntax {
		if file.Name.Name != r.pkg.Name {
			r.add(file.Name.Pos(), "mixed-packages", "move the file to a folder of its own", "a file of package %s among those of package %s", file.Name.Name, r.pkg.Name)
		}
	}
}

func (r *resolver) add(pos token.Pos, code, fix, format string, args ...any) {
	r.list.Add(r.prog.Position(pos), code, fix, format, args...)
}

func reporter(prog *load.Program, list *diag.List) directive.Reporter {
	return func(pos token.Pos, code, fix, message string) {
		list.Add(prog.Position(pos), code, fix, "%s", message)
	}
}

// declaredFields leads from a field's variable to its syntax.
func declaredFields(pkg *load.Package) map[*types.Var]*ast.Field {
	fields := map[*types.Var]*ast.Field{}
	for _, file := range pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				for _, name := range fieldNames(field) {
					if v, ok := pkg.Info.Defs[name].(*types.Var); ok && v.IsField() {
						fields[v] = field
					}
				}
			}
			_, isBody := n.(*ast.BlockStmt)
			return !isBody
		})
	}
	return fields
}

// fieldNames gives the identifiers that define a field: its names, or the type's when it is embedded.
func fieldNames(field *ast.Field) []*ast.Ident {
	if len(field.Names) > 0 {
		return field.Names
	}
	expr := field.Type
	for {
		switch e := expr.(type) {
		case *ast.Ident:
			return []*ast.Ident{e}
		case *ast.SelectorExpr:
			return []*ast.Ident{e.Sel}
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		default:
			return nil
		}
	}
}
