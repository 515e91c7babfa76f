package freshkey

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
)

// fix makes the key of the run and the node in a handler of idem. Before a retry it mints the key once.
func fix(p *rule.Pass, s *flow.Sink, again *flow.Region) *rule.Fix {
	if s.Remote != "" || s.Column || !types.Identical(p.TypesInfo.TypeOf(s.Expr), types.Typ[types.String]) {
		return nil
	}
	if h := p.Flow.Handler(s.Expr.Pos()); h != nil {
		return runAndNode(p, s.Expr, h.Context)
	}
	return hoist(p, s.Expr, again)
}

func runAndNode(p *rule.Pass, key ast.Expr, ctx string) *rule.Fix {
	src := rewrite.Of(p.Pass)
	unused, ok := src.Unused(key)
	if !ok || !src.Means(ctx, key.Pos(), flow.IsRuntimeContext) {
		return nil
	}
	text := ctx + `.RunID() + ":" + ` + ctx + ".Node()"
	return &rule.Fix{Message: "make the key of the run and the node", Edits: append(unused, rewrite.Replace(key, text))}
}

// hoist mints the key in front of the statement that retries, if that itself runs once.
func hoist(p *rule.Pass, key ast.Expr, again *flow.Region) *rule.Fix {
	src := rewrite.Of(p.Pass)
	call, ok := key.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 || again.Node == nil {
		return nil
	}
	if _, isDecl := again.Node.(*ast.FuncDecl); isDecl {
		return nil
	}
	stmt := outer(src, again.Node)
	if stmt == nil || p.Flow.Again(stmt.Pos()) != nil && p.Flow.Again(stmt.Pos()) != again {
		return nil
	}
	const name = "idempotencyKey"
	path := src.Path(stmt)
	if !src.Free(path[1], name) {
		return nil
	}
	return &rule.Fix{
		Message: "mint the key once, before the retries",
		Edits: []analysis.TextEdit{
			rewrite.Insert(stmt.Pos(), name+" := "+src.Text(key)+"\n"),
			rewrite.Replace(key, name),
		},
	}
}

// outer returns the statement of a block that holds a node.
func outer(src *rewrite.Source, n ast.Node) ast.Stmt {
	path := src.Path(n)
	for i, m := range path {
		stmt, ok := m.(ast.Stmt)
		if !ok || i+1 >= len(path) || n.Pos() == token.NoPos {
			continue
		}
		if _, inBlock := path[i+1].(*ast.BlockStmt); inBlock {
			return stmt
		}
	}
	return nil
}
