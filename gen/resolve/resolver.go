package resolve

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/model"
)

// Resolver makes the model of one package. It is what kinds resolve their declarations with: it finds what they stand
// on, resolves what several kinds have (payloads, columns, keys), and takes what is wrong.
type Resolver struct {
	Program *load.Program
	Package *load.Package
	fields  map[*types.Var]*ast.Field // the struct fields that the package's files declare
	names   *generatedNames
	tested  *types.Package // the package with its own tests, once it is asked for
	list    diag.List
}

func newResolver(program *load.Program, pkg *load.Package) *Resolver {
	r := &Resolver{Program: program, Package: pkg, fields: declaredFields(pkg)}
	r.names = newGeneratedNames(r)
	return r
}

func (r *Resolver) resolve(kinds Kinds) *model.Package {
	r.onePackage()
	r.importable(kinds)
	r.shadowed()
	byKind := make([][]model.Declaration, len(kinds))
	for _, p := range r.Package.Directives {
		i := kinds.of(p.Spec)
		if d := kinds[i].Resolve(r, p); d != nil {
			byKind[i] = append(byKind[i], d)
		}
	}
	m := &model.Package{
		Path: r.Package.Path, Name: r.Package.Name, Dir: r.Package.Dir, Constraint: r.Package.Constraint,
		Names: r.Package.Types.Scope().Names(), TestNames: r.testNames(),
	}
	for _, declarations := range byKind {
		slices.SortStableFunc(declarations, func(a, b model.Declaration) int { return cmp.Compare(a.Order(), b.Order()) })
		m.Declarations = append(m.Declarations, declarations...)
	}
	return m
}

// onePackage reports files that name another package than the first one does. The go command refuses
// such a folder, and what is generated could be of either.
func (r *Resolver) onePackage() {
	for _, file := range r.Package.Syntax {
		if file.Name.Name != r.Package.Name {
			r.Add(file.Name.Pos(), "mixed-packages", "move the file to a folder of its own", "a file of package %s among those of package %s", file.Name.Name, r.Package.Name)
		}
	}
}

// Add reports what is wrong at a place, and what to do about it.
func (r *Resolver) Add(pos token.Pos, code, fix, format string, args ...any) {
	r.list.Add(r.Program.Position(pos), code, fix, format, args...)
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

// fieldNames returns the identifiers that define a field: its names, or the type's when it is embedded.
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
