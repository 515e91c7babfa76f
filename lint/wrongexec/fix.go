package wrongexec

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/known"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
)

// fix writes through the completion transaction, which has the methods of pgx's pool.
func fix(p *rule.Pass, s *flow.Statement) *rule.Fix {
	sel, ok := s.Call.Fun.(*ast.SelectorExpr)
	handler := p.Flow.Handler(s.Call.Pos())
	if !ok || handler == nil {
		return nil
	}
	named := known.Named(p.TypesInfo.TypeOf(sel.X))
	if named == nil || known.OfType(named) != "github.com/jackc/pgx/pgxpool.Pool" {
		return nil
	}
	switch sel.Sel.Name {
	case "Exec", "Query", "QueryRow":
	default:
		return nil
	}
	src := rewrite.Of(p.Pass)
	unused, fine := src.Unused(sel.X)
	if !fine || !src.Means(handler.Context, s.Call.Pos(), flow.IsRuntimeContext) {
		return nil
	}
	return &rule.Fix{
		Message: "write through the completion transaction",
		Edits:   append(unused, []analysis.TextEdit{rewrite.Replace(sel.X, handler.Context+".CompletionTx()")}...),
	}
}
