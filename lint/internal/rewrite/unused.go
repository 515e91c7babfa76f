package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Unused returns the edits that keep the program valid when a piece of it goes: local variables that only
// the piece uses must not be declared any more. ok is false when that cannot be done.
func (s *Source) Unused(gone ast.Node) (edits []analysis.TextEdit, ok bool) {
	ok = true
	seen := map[types.Object]bool{}
	ast.Inspect(gone, func(n ast.Node) bool {
		id, isIdent := n.(*ast.Ident)
		if !isIdent || !ok {
			return ok
		}
		v, isVar := s.pass.TypesInfo.Uses[id].(*types.Var)
		if !isVar || seen[v] || v.IsField() || !s.isLocal(v) || s.uses(v, gone) > 0 {
			return true
		}
		seen[v] = true
		var more []analysis.TextEdit
		more, ok = s.undeclare(v, gone)
		edits = append(edits, more...)
		return ok
	})
	return edits, ok
}

// isLocal reports whether a variable must be used: parameters, results and receivers need not be.
func (s *Source) isLocal(v *types.Var) bool {
	return v.Kind() == types.LocalVar
}

// undeclare takes away the declaration of a variable, which must be a short one or that of a loop.
func (s *Source) undeclare(v *types.Var, gone ast.Node) ([]analysis.TextEdit, bool) {
	for _, file := range s.pass.Files {
		if v.Pos() < file.FileStart || file.FileEnd <= v.Pos() {
			continue
		}
		var edits []analysis.TextEdit
		done := false
		ast.Inspect(file, func(n ast.Node) bool {
			if n == gone {
				return false
			}
			if r, ok := n.(*ast.RangeStmt); ok && s.counts(r, v) {
				edits, done = []analysis.TextEdit{Delete(r.Key.Pos(), r.Range)}, true
				return false
			}
			a, ok := n.(*ast.AssignStmt)
			if !ok || a.Tok != token.DEFINE || !s.defines(a, v) {
				return !done
			}
			edits, done = s.withoutVariable(a, v)
			return false
		})
		return edits, done
	}
	return nil, false
}

// counts reports whether a loop has the variable as its only one.
func (s *Source) counts(r *ast.RangeStmt, v *types.Var) bool {
	id, ok := r.Key.(*ast.Ident)
	return ok && r.Value == nil && r.Tok == token.DEFINE && s.pass.TypesInfo.Defs[id] == v
}

func (s *Source) defines(a *ast.AssignStmt, v *types.Var) bool {
	for _, lhs := range a.Lhs {
		if id, ok := lhs.(*ast.Ident); ok && s.pass.TypesInfo.Defs[id] == v {
			return true
		}
	}
	return false
}

// withoutVariable makes a declaration declare the others alone; when there are none it goes as a whole,
// if it only reads something.
func (s *Source) withoutVariable(a *ast.AssignStmt, v *types.Var) ([]analysis.TextEdit, bool) {
	others := 0
	var own *ast.Ident
	for _, lhs := range a.Lhs {
		id, ok := lhs.(*ast.Ident)
		switch {
		case !ok:
			return nil, false
		case s.pass.TypesInfo.Defs[id] == v:
			own = id
		case id.Name != "_":
			others++
		}
	}
	if others > 0 {
		return []analysis.TextEdit{Replace(own, "_")}, s.definesOther(a, own)
	}
	path := s.Path(a)
	if len(path) < 2 {
		return nil, false
	}
	if _, inBlock := path[1].(*ast.BlockStmt); !inBlock {
		return nil, false
	}
	for _, rhs := range a.Rhs {
		if !isReading(rhs) {
			return nil, false
		}
	}
	return []analysis.TextEdit{s.DeleteLines(a)}, true
}

// definesOther reports whether := is still right without one of the variables.
func (s *Source) definesOther(a *ast.AssignStmt, own *ast.Ident) bool {
	for _, lhs := range a.Lhs {
		if id := lhs.(*ast.Ident); id != own && id.Name != "_" && s.pass.TypesInfo.Defs[id] != nil {
			return true
		}
	}
	return false
}

// isReading reports whether an expression can go without a trace: it has at most one call, of a function
// that returns something.
func isReading(e ast.Expr) bool {
	calls := 0
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			calls++
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.FuncLit:
			ok = false
		}
		return ok
	})
	return ok && calls <= 2
}
