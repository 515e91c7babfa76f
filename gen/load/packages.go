package load

import (
	"context"
	"go/ast"
	"go/token"
	"slices"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/scan"
)

// Needs is what is loaded beside the packages themselves.
type Needs struct {
	Directives directive.Registry  // those that are read
	Imports    map[string][]string // what the code that is generated for a directive imports, by the directive's name
	Tests      map[string]bool     // the folders of the packages that tests are generated for
}

// Packages loads the packages that bear directives, of those that were found below dir: their syntax with the
// directives, in import order, and the types of what they import and of what the code generated for them does. Each is
// yet to be checked. What is wrong with the directives themselves is kept in [Program.Wrong].
func Packages(ctx context.Context, dir string, found []*scan.Package, needs Needs) (*Program, error) {
	p := Parse(dir, found)
	var more []string
	for _, pkg := range p.Packages {
		p.readDirectives(pkg, needs.Directives)
		p.readExcluded(pkg, needs.Directives)
		p.refuseTests(pkg)
		for _, d := range pkg.Directives {
			more = append(more, needs.Imports[d.Spec.Name]...)
		}
		if pkg.Tested = needs.Tests[pkg.Dir]; pkg.Tested && len(pkg.Directives) > 0 {
			more = append(more, TestImports...)
		}
	}
	hasDirectives := func(pkg *Package) bool { return len(pkg.Directives) > 0 }
	if err := p.Import(ctx, hasDirectives, more...); err != nil {
		return nil, err
	}
	return p, nil
}

// readDirectives finds the directives of a package. Where the syntax is wrong, only that is reported:
// what stands around a syntax error is not what its author wrote.
func (p *Program) readDirectives(pkg *Package, registry directive.Registry) {
	var list diag.List
	var placed, of []directive.Placed
	report := func(pos token.Pos, code, fix, message string) {
		list.Add(p.Position(pos), code, fix, "%s", message)
	}
	for _, file := range pkg.Syntax {
		if of = registry.File(p.Fset, file, report); len(of) > 0 {
			p.constrain(pkg, file, of[0].Pos, len(placed) == 0, &list)
		}
		placed = append(placed, of...)
	}
	if len(pkg.SyntaxErr) == 0 {
		p.Wrong, pkg.Directives = append(p.Wrong, list...), placed
	} else if len(placed)+len(list) > 0 || slices.ContainsFunc(pkg.Files, scan.File.Spells) {
		p.Wrong = append(p.Wrong, p.SyntaxDiagnostics(pkg)...)
	}
}

// constrain takes over the build constraint of a file with directives. What is generated for a package is one file, of
// one build: all of them stand under the same.
func (p *Program) constrain(pkg *Package, file *ast.File, at token.Pos, first bool, list *diag.List) {
	c := Constraint(p.Fset.PositionFor(file.FileStart, false).Filename, file)
	if first {
		pkg.Constraint = c
	} else if c != pkg.Constraint {
		list.Add(p.Position(at), "build-constraint",
			"let the directives of a package stand under one build constraint, and what differs in other files; or give these a package of their own",
			"this directive stands under %s, and others of the package under %s", named(c), named(pkg.Constraint))
	}
}

func named(constraint string) string {
	if constraint == "" {
		return "no build constraint"
	}
	return "the build constraint " + constraint
}
