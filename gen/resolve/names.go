package resolve

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// generatedNames watches over the package's scope: what exists there, and what idem adds.
type generatedNames struct {
	r       *resolver
	imports map[string]bool   // names that files of the package import something by
	owners  map[string]string // generated name to what it is generated for
}

func newGeneratedNames(r *resolver) *generatedNames {
	g := &generatedNames{r: r, imports: map[string]bool{}, owners: map[string]string{}}
	for _, file := range slices.Concat(r.pkg.Syntax, r.prog.Tests(r.pkg)) {
		for _, spec := range file.Imports {
			g.addImport(spec)
		}
	}
	return g
}

// addImport notes what an import adds to its file's scope, which the package's own names must not
// repeat.
func (g *generatedNames) addImport(spec *ast.ImportSpec) {
	path, err := strconv.Unquote(spec.Path.Value)
	switch imported := g.r.prog.Imported(path); {
	case err != nil:
	case spec.Name != nil && spec.Name.Name != ".":
		g.imports[spec.Name.Name] = true
	case imported == nil:
	case spec.Name == nil:
		g.imports[imported.Name()] = true
	default:
		for _, name := range imported.Scope().Names() {
			g.imports[name] = true
		}
	}
}

// claim takes names for what a directive generates, and reports those that are taken.
func (g *generatedNames) claim(pos token.Pos, owner string, names []string) {
	for _, name := range names {
		obj := g.r.withTests().Scope().Lookup(name)
		switch {
		case g.owners[name] != "":
			g.r.add(pos, "name-collision", "rename one of the declarations", "%s and %s both generate %s", g.owners[name], owner, name)
		case obj != nil:
			g.r.add(pos, "name-collision", "rename it, or the declaration", "%s generates %s, which the package declares already at %s", owner, name, g.r.prog.Position(obj.Pos()))
		case g.imports[name]:
			g.r.add(pos, "name-collision", "give the import another name", "%s generates %s, which an import declares", owner, name)
		}
		g.owners[name] = owner
	}
}

// claimMethods takes names for what a directive adds to a type, and reports those that are taken there.
func (g *generatedNames) claimMethods(pos token.Pos, owner, typeName string, names []string) {
	scope := g.r.withTests().Scope()
	for _, name := range names {
		full := typeName + "." + name
		if other := g.owners[full]; other != "" {
			g.r.add(pos, "name-collision", "rename one of the declarations", "%s and %s both generate %s", other, owner, full)
		} else if obj := member(scope.Lookup(typeName), name); obj != nil {
			g.r.add(pos, "name-collision", "rename it, or the declaration", "%s generates %s, which exists already at %s", owner, full, g.r.prog.Position(obj.Pos()))
		}
		g.owners[full] = owner
	}
}

// member gives the field or the method that a type declares itself, or nil. What it embeds a method of its own hides.
func member(typeName types.Object, name string) types.Object {
	if typeName == nil {
		return nil
	}
	obj, index, _ := types.LookupFieldOrMethod(typeName.Type(), true, typeName.Pkg(), name)
	if len(index) != 1 {
		return nil
	}
	return obj
}

// predeclared are the identifiers of Go that generated code is written with.
var predeclared = []string{"any", "bool", "byte", "error", "int", "nil", "string", "true"}

// shadowed reports declarations of the package that hide them.
func (r *resolver) shadowed() {
	for _, name := range predeclared {
		if obj := r.pkg.Types.Scope().Lookup(name); obj != nil && obj.Parent() != types.Universe {
			r.add(obj.Pos(), "shadowed-name", "rename it", "the package declares %s, which hides Go's own from generated code", name)
		}
	}
}
