package partialkey

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
)

// fix adds the other half of the pair, where the key's own expression says of what.
func fix(p *rule.Pass, key ast.Expr) *rule.Fix {
	if !types.Identical(p.TypesInfo.TypeOf(key), types.Typ[types.String]) {
		return nil
	}
	src := rewrite.Of(p.Pass)
	half := ""
	ast.Inspect(key, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || half != "" {
			return true
		}
		half = other(p, src, sel)
		return true
	})
	if half == "" {
		return nil
	}
	return &rule.Fix{
		Message: "add the other half of the key",
		Edits:   []analysis.TextEdit{rewrite.Insert(key.End(), ` + ":" + `+half)},
	}
}

// other returns the node beside the run, or the run beside the node, of what a selector selects from.
func other(p *rule.Pass, src *rewrite.Source, sel *ast.SelectorExpr) string {
	if flow.IsRuntimeContext(p.TypesInfo.TypeOf(sel.X)) {
		switch sel.Sel.Name {
		case "RunID":
			return src.Text(sel.X) + ".Node()"
		case "Node":
			return src.Text(sel.X) + ".RunID()"
		}
		return ""
	}
	inner, ok := sel.X.(*ast.SelectorExpr)
	switch {
	case sel.Sel.Name == "ActivityID":
		return src.Text(sel.X) + ".WorkflowExecution.RunID"
	case ok && sel.Sel.Name == "RunID" && inner.Sel.Name == "WorkflowExecution":
		return src.Text(inner.X) + ".ActivityID"
	}
	return ""
}
