package resolve

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"

	"github.com/idem-go/idem/gen/directive"
)

// fixture checks that fixture= names a function of the package, or of its tests.
func (r *resolver) fixture(p directive.Placed) {
	arg := p.Arg("fixture")
	if arg == nil {
		return
	}
	name := arg.Value.(string)
	switch obj := r.pkg.Types.Scope().Lookup(name).(type) {
	case *types.Func:
	case nil:
		if !r.inTests(name) {
			r.add(arg.ValuePos, "bad-fixture", "write it, or remove the argument", "the package has no function %s", name)
		}
	default:
		r.add(arg.ValuePos, "bad-fixture", "name a function", "%s is no function, see %s", name, r.prog.Position(obj.Pos()))
	}
}

// inTests looks for a function in the package's own test files.
func (r *resolver) inTests(name string) bool {
	paths, _ := filepath.Glob(filepath.Join(r.pkg.Dir, "*_test.go"))
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil || file.Name.Name != r.pkg.Name {
			continue
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
				return true
			}
		}
	}
	return false
}
