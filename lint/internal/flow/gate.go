package flow

import (
	"go/ast"
	"go/token"
	"strings"
)

// inScope leaves out the standard library and other people's modules: for these there is the table.
func (p *Package) inScope() bool {
	switch m := p.pass.Module; {
	case p.options.Everything:
		return true
	case m != nil:
		return m.Version == ""
	}
	first, _, _ := strings.Cut(p.pass.Pkg.Path(), "/")
	return strings.Contains(first, ".")
}

// isOpen reports whether a package is worth the price of its SSA form: it imports what the table knows, or
// a package with something to say, it speaks of keys, or has helpers that may make one.
func (p *Package) isOpen() bool {
	if p.table.Opens(p.pass.Pkg.Path()) {
		return true
	}
	for _, imported := range p.pass.Pkg.Imports() {
		if p.table.Opens(imported.Path()) || p.pass.ImportPackageFact(imported, new(opened)) {
			return true
		}
	}
	for _, file := range p.files {
		if speaksOfKeys(file) {
			return true
		}
	}
	return false
}

// opened marks the packages with functions that lead to a key or to a statement. What imports them is
// worth a look too.
type opened struct{}

func (*opened) AFact()         {}
func (*opened) String() string { return "opened" }

// speaksOfKeys looks for identifiers and texts that name a deduplication key, for functions that may make
// one, and for statements that write.
func speaksOfKeys(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || isKeyName(n.Name)
		case *ast.BasicLit:
			found = found || n.Kind == token.STRING && speaks(n.Value)
		case *ast.FuncDecl:
			found = found || makesText(n)
		}
		return !found
	})
	return found
}

// speaks reports whether a text names a key, or is a statement that writes.
func speaks(text string) bool {
	if len(text) < 40 && isKeyHeader(strings.Trim(text, "\"`")) {
		return true
	}
	return strings.Contains(text, "INSERT INTO") || strings.Contains(text, "insert into") ||
		strings.Contains(text, "UPDATE ") && strings.Contains(text, "SET ") || strings.Contains(text, "update ") && strings.Contains(text, " set ")
}

// maxHelper is the number of statements up to which a function counts as a helper.
const maxHelper = 5

// makesText reports whether an exported function is a helper that makes a text of what it is given.
func makesText(decl *ast.FuncDecl) bool {
	if decl.Type.Results == nil || decl.Body == nil || !decl.Name.IsExported() || decl.Type.Params.NumFields() == 0 || len(decl.Body.List) > maxHelper {
		return false
	}
	result, ok := decl.Type.Results.List[0].Type.(*ast.Ident)
	if !ok || result.Name != "string" {
		return false
	}
	joins := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			joins = joins || n.Op == token.ADD
		case *ast.SelectorExpr:
			joins = joins || strings.HasPrefix(n.Sel.Name, "Sprint") || n.Sel.Name == "Join" || strings.HasPrefix(n.Sel.Name, "WriteString")
		}
		return !joins
	})
	return joins
}
