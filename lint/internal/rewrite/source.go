package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
)

// Source is the source of a package.
type Source struct{ pass *analysis.Pass }

// Of returns the source of a pass.
func Of(pass *analysis.Pass) *Source { return &Source{pass} }

// Text is a node as it stands in the source.
func (s *Source) Text(n ast.Node) string {
	f := s.pass.Fset.File(n.Pos())
	data, err := s.pass.ReadFile(f.Name())
	if err != nil || f.Offset(n.End()) > len(data) {
		return ""
	}
	return string(data[f.Offset(n.Pos()):f.Offset(n.End())])
}

// Path returns the nodes around a node, the innermost first.
func (s *Source) Path(n ast.Node) []ast.Node {
	for _, file := range s.pass.Files {
		if file.FileStart <= n.Pos() && n.Pos() < file.FileEnd {
			path, _ := astutil.PathEnclosingInterval(file, n.Pos(), n.End())
			return path
		}
	}
	return nil
}

// File returns the file of a node.
func (s *Source) File(n ast.Node) *ast.File {
	path := s.Path(n)
	if len(path) == 0 {
		return nil
	}
	file, _ := path[len(path)-1].(*ast.File)
	return file
}

// function returns the declaration around a node.
func (s *Source) function(n ast.Node) *ast.FuncDecl {
	for _, m := range s.Path(n) {
		if decl, ok := m.(*ast.FuncDecl); ok {
			return decl
		}
	}
	return nil
}

// Replace puts text in the place of a node.
func Replace(n ast.Node, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)}
}

// Insert puts text at a place.
func Insert(pos token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text)}
}

// Delete takes away what stands between two places.
func Delete(start, end token.Pos) analysis.TextEdit { return analysis.TextEdit{Pos: start, End: end} }

// DeleteLines takes away a node with the lines that it stands on, which must hold nothing else.
func (s *Source) DeleteLines(n ast.Node) analysis.TextEdit {
	f := s.pass.Fset.File(n.Pos())
	first, last := f.Line(n.Pos()), f.Line(n.End())
	start, end := f.LineStart(first), n.End()
	if last < f.LineCount() {
		end = f.LineStart(last + 1)
	}
	before := strings.TrimSpace(s.between(start, n.Pos()))
	behind := strings.TrimSpace(s.between(n.End(), end))
	if before != "" || behind != "" {
		return Delete(n.Pos(), n.End())
	}
	return Delete(start, end)
}

func (s *Source) between(start, end token.Pos) string {
	f := s.pass.Fset.File(start)
	data, err := s.pass.ReadFile(f.Name())
	if err != nil {
		return ""
	}
	return string(data[f.Offset(start):f.Offset(end)])
}

// Import adds imports that a file does not have. It gives up when another thing has the package's name.
func (s *Source) Import(file *ast.File, paths ...string) ([]analysis.TextEdit, bool) {
	var edits []analysis.TextEdit
	for _, path := range paths {
		name := path[strings.LastIndexByte(path, '/')+1:]
		if imported(file, path, name) {
			continue
		}
		if s.pass.Pkg.Scope().Lookup(name) != nil || len(file.Imports) == 0 {
			return nil, false
		}
		edits = append(edits, addImport(file, path))
	}
	return edits, true
}

func imported(file *ast.File, path, name string) bool {
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && p == path {
			return spec.Name == nil || spec.Name.Name == name
		}
	}
	return false
}

// addImport writes an import where it belongs in the order of the first group.
func addImport(file *ast.File, path string) analysis.TextEdit {
	quoted := strconv.Quote(path)
	gen := file.Decls[0].(*ast.GenDecl) // imports come first, and there is one
	if !gen.Lparen.IsValid() {
		return Insert(gen.Pos(), "import "+quoted+"\n")
	}
	for _, spec := range gen.Specs {
		if spec := spec.(*ast.ImportSpec); spec.Path.Value > quoted {
			return Insert(spec.Pos(), quoted+"\n\t")
		}
	}
	return Insert(gen.Specs[len(gen.Specs)-1].End(), "\n\t"+quoted)
}

// Free reports whether a name means nothing yet inside a function.
func (s *Source) Free(in ast.Node, name string) bool {
	free := true
	ast.Inspect(in, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			free = false
		}
		return free
	})
	return free && s.pass.Pkg.Scope().Lookup(name) == nil
}

// Means reports whether a name means the same variable at two places.
func (s *Source) Means(name string, at token.Pos, typ func(types.Type) bool) bool {
	scope := s.pass.Pkg.Scope().Innermost(at)
	if scope == nil || name == "" || name == "_" {
		return false
	}
	_, obj := scope.LookupParent(name, at)
	return obj != nil && typ(obj.Type())
}

// Definition steps from a local variable to the one expression that is assigned to it. For other
// expressions it gives them back.
func (s *Source) Definition(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	id, ok := e.(*ast.Ident)
	if !ok {
		return e
	}
	v, ok := s.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.Pkg() != s.pass.Pkg || v.Parent() == s.pass.Pkg.Scope() {
		return e
	}
	var found ast.Expr
	count := 0
	ast.Inspect(s.function(e), func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, lhs := range a.Lhs {
			if l, ok := lhs.(*ast.Ident); ok && s.pass.TypesInfo.ObjectOf(l) == v {
				count++
				if len(a.Lhs) == len(a.Rhs) && a.Tok != token.ADD_ASSIGN {
					found = a.Rhs[i]
				}
			}
		}
		return true
	})
	if count != 1 || found == nil {
		return e
	}
	return ast.Unparen(found)
}

// Result steps from a call of a function of the package, which is called nowhere else and returns one
// expression, to that expression. For other expressions it gives them back.
func (s *Source) Result(e ast.Expr) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return e
	}
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return e
	}
	f, ok := s.pass.TypesInfo.Uses[id].(*types.Func)
	if !ok || f.Pkg() != s.pass.Pkg || f.Exported() || s.uses(f, nil) != 1 {
		return e
	}
	for _, file := range s.pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && s.pass.TypesInfo.Defs[decl.Name] == f && decl.Body != nil && len(decl.Body.List) == 1 {
				if r, ok := decl.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
					return ast.Unparen(r.Results[0])
				}
			}
		}
	}
	return e
}

// uses counts the uses of an object outside of a range.
func (s *Source) uses(obj types.Object, outside ast.Node) int {
	n := 0
	for id, used := range s.pass.TypesInfo.Uses {
		if used == obj && (outside == nil || id.Pos() < outside.Pos() || outside.End() <= id.Pos()) {
			n++
		}
	}
	return n
}
