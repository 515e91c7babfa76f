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
	r       *Resolver
	imports map[string]bool   // names that files of the package import something by
	owners  map[string]string // generated name to what it is generated for
}

func newGeneratedNames(r *Resolver) *generatedNames {
	g := &generatedNames{r: r, imports: map[string]bool{}, owners: map[string]string{}}
	for _, file := range slices.Concat(r.Package.Syntax, r.Program.Tests(r.Package)) {
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
	switch imported := g.r.Program.Imported(path); {
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

// Claim takes names for what a directive generates, and reports those that are taken.
func (r *Resolver) Claim(pos token.Pos, owner string, names []string) {
	g := r.names
	for _, name := range names {
		obj := r.WithTests().Scope().Lookup(name)
		switch {
		case g.owners[name] != "":
			r.Add(pos, "name-collision", "rename one of the declarations", "%s and %s both generate %s", g.owners[name], owner, name)
		case obj != nil:
			r.Add(pos, "name-collision", "rename it, or the declaration", "%s generates %s, which the package declares already at %s", owner, name, r.Program.Position(obj.Pos()))
		case g.imports[name]:
			r.Add(pos, "name-collision", "give the import another name", "%s generates %s, which an import declares", owner, name)
		}
		g.owners[name] = owner
	}
}

// ClaimMethods takes names for what a directive adds to a type, and reports those that are taken there.
func (r *Resolver) ClaimMethods(pos token.Pos, owner, typeName string, names []string) {
	scope := r.WithTests().Scope()
	for _, name := range names {
		full := typeName + "." + name
		if other := r.names.owners[full]; other != "" {
			r.Add(pos, "name-collision", "rename one of the declarations", "%s and %s both generate %s", other, owner, full)
		} else if obj := member(scope.Lookup(typeName), name); obj != nil {
			r.Add(pos, "name-collision", "rename it, or the declaration", "%s generates %s, which exists already at %s", owner, full, r.Program.Position(obj.Pos()))
		}
		r.names.owners[full] = owner
	}
}

// member returns the field or the method that a type declares itself, or nil. What it embeds a method of its own hides.
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
func (r *Resolver) shadowed() {
	for _, name := range predeclared {
		if obj := r.Package.Types.Scope().Lookup(name); obj != nil && obj.Parent() != types.Universe {
			r.Add(obj.Pos(), "shadowed-name", "rename it", "the package declares %s, which hides Go's own from generated code", name)
		}
	}
}

// testNames returns the identifiers that the package's own tests add to its scope.
func (r *Resolver) testNames() []string {
	scope := r.Package.Types.Scope()
	return slices.DeleteFunc(r.WithTests().Scope().Names(), func(name string) bool { return scope.Lookup(name) != nil })
}

// WithTests returns the package as its own tests see it.
func (r *Resolver) WithTests() *types.Package {
	if r.tested == nil {
		r.tested = r.Program.CheckTests(r.Package)
	}
	return r.tested
}
