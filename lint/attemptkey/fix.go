package attemptkey

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
)

// fix takes the attempt out of a key that is one concatenation or one Sprintf, if something that varies
// is left. Where that would be the run alone, the node takes its place.
func fix(p *rule.Pass, s *flow.Sink) *rule.Fix {
	src := rewrite.Of(p.Pass)
	expr := src.Result(src.Definition(inner(s.Expr)))
	node := ""
	if h := p.Flow.Handler(expr.Pos()); h != nil && isRunAlone(s.Value) && src.Means(h.Context, expr.Pos(), flow.IsRuntimeContext) {
		node = h.Context + ".Node()"
	}
	isAttempt := func(e ast.Expr) bool { return p.Flow.ValueOf(e).Has(flow.Attempt) }
	var gone ast.Expr
	var edits []analysis.TextEdit
	if f, ok := src.FormatOf(expr); ok {
		i, ok := only(p, f.Args, isAttempt)
		if !ok {
			return nil
		}
		gone, edits = f.Args[i], f.Drop(i)
		if node != "" {
			edits = f.Swap(i, node)
		}
	} else {
		list := rewrite.Operands(expr)
		i, ok := only(p, list, isAttempt)
		if !ok {
			return nil
		}
		e, ok := rewrite.DropOperand(list, i)
		if !ok {
			return nil
		}
		gone, edits = list[i], []analysis.TextEdit{e}
		if node != "" {
			edits = []analysis.TextEdit{rewrite.Replace(list[i], node)}
		}
	}
	unused, ok := src.Unused(gone)
	if !ok {
		return nil
	}
	return &rule.Fix{Message: "leave the attempt out of the key", Edits: append(edits, unused...)}
}

// isRunAlone reports whether the run is all that is left of a key without its attempt.
func isRunAlone(v *flow.Value) bool {
	for _, o := range v.Origins() {
		if o.Kind != flow.Run && o.Kind != flow.Attempt {
			return false
		}
	}
	return v.Has(flow.Run)
}

// inner steps into the conversion or the call that makes a pointer or bytes of a key.
func inner(e ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 {
		if _, isIdent := ast.Unparen(call.Args[0]).(*ast.Ident); isIdent {
			if fun, ok := call.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "String" {
				return call.Args[0]
			}
		}
	}
	return e
}

// only finds the one operand that comes from the attempt. Another one must vary.
func only(p *rule.Pass, list []ast.Expr, isAttempt func(ast.Expr) bool) (int, bool) {
	found, varies := -1, false
	for i, e := range list {
		switch {
		case isAttempt(e) && found >= 0:
			return 0, false
		case isAttempt(e):
			found = i
		case p.TypesInfo.Types[e].Value == nil:
			varies = true
		}
	}
	return found, found >= 0 && varies
}
