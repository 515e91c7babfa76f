package txcontrol

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
)

// fix takes the statement away, with the check of its error.
func fix(p *rule.Pass, call *ast.CallExpr) *rule.Fix {
	src := rewrite.Of(p.Pass)
	for i, n := range src.Path(call) {
		if i == 0 {
			continue
		}
		switch n := n.(type) {
		case *ast.ExprStmt:
			return gone(src, n, n)
		case *ast.IfStmt:
			if n.Else == nil && isErrorCheck(n.Cond) {
				return gone(src, n, n.Init)
			}
			return nil
		case *ast.AssignStmt:
			path := src.Path(n)
			if _, inIf := path[1].(*ast.IfStmt); inIf {
				continue
			}
			return last(src, n, path[1])
		case *ast.BlockStmt:
			return nil
		}
	}
	return nil
}

func gone(src *rewrite.Source, n, used ast.Node) *rule.Fix {
	unused, ok := src.Unused(used)
	if !ok || len(unused) > 0 {
		return nil
	}
	return &rule.Fix{Message: "remove the statement", Edits: []analysis.TextEdit{src.DeleteLines(n)}}
}

// last takes away `_, err := …` with the `return err` behind it.
func last(src *rewrite.Source, a *ast.AssignStmt, around ast.Node) *rule.Fix {
	block, ok := around.(*ast.BlockStmt)
	if !ok || len(a.Lhs) != 2 {
		return nil
	}
	err, ok := a.Lhs[1].(*ast.Ident)
	for i, s := range block.List {
		if !ok || s != a || i+1 >= len(block.List) {
			continue
		}
		r, isReturn := block.List[i+1].(*ast.ReturnStmt)
		if !isReturn || len(r.Results) != 1 || a.Tok != token.DEFINE {
			return nil
		}
		if id, isIdent := r.Results[0].(*ast.Ident); !isIdent || id.Name != err.Name {
			return nil
		}
		unused, fine := src.Unused(a)
		if !fine || len(unused) > 0 {
			return nil
		}
		return &rule.Fix{Message: "remove the statement", Edits: []analysis.TextEdit{
			{Pos: a.Pos(), End: r.End(), NewText: []byte("return nil")},
		}}
	}
	return nil
}

// isErrorCheck recognises err != nil.
func isErrorCheck(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ {
		return false
	}
	id, ok := b.Y.(*ast.Ident)
	return ok && id.Name == "nil"
}
