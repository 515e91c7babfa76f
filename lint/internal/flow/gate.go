package flow

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Everything makes packages outside of the main module worth a look too.
var Everything bool

// inScope leaves out the standard library and other people's modules: for these there is the table.
func inScope(pass *analysis.Pass) bool {
	switch m := pass.Module; {
	case Everything:
		return true
	case m != nil:
		return m.Version == ""
	}
	first, _, _ := strings.Cut(pass.Pkg.Path(), "/")
	return strings.Contains(first, ".")
}

// isOpen tells whether a package is worth the price of its SSA form: it imports what the table knows,
// speaks of keys, or imports a package of the module that has something to say.
func (p *Package) isOpen() bool {
	for _, imported := range p.pass.Pkg.Imports() {
		if p.table.Opens(imported.Path()) || p.pass.ImportPackageFact(imported, new(opened)) {
			return true
		}
	}
	for _, file := range p.pass.Files {
		if speaksOfKeys(file) {
			return true
		}
	}
	return false
}

// opened marks the packages that declare a helper which the packages that import them must look for.
type opened struct{}

func (*opened) AFact()         {}
func (*opened) String() string { return "opened" }

// speaksOfKeys looks for identifiers and texts that name a deduplication key, and for functions that
// look like they make one.
func speaksOfKeys(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || isKeyName(n.Name)
		case *ast.BasicLit:
			found = found || n.Kind == token.STRING && len(n.Value) < 40 && isKeyHeader(strings.Trim(n.Value, "\"`"))
		case *ast.FuncDecl:
			found = found || makesKeys(n)
		}
		return !found
	})
	return found
}

// makesKeys tells whether a function gives a string and is named after a key.
func makesKeys(decl *ast.FuncDecl) bool {
	if decl.Type.Results == nil {
		return false
	}
	switch result := decl.Type.Results.List[0].Type.(type) {
	case *ast.Ident:
		if result.Name != "string" && !isKeyLike(result.Name) {
			return false
		}
	case *ast.ArrayType:
	default:
		return false
	}
	return isKeyLike(decl.Name.Name)
}

func isKeyLike(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"key", "token", "dedup", "idem", "digest", "hash", "msgid", "messageid"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
