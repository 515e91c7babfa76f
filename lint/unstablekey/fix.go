package unstablekey

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
)

// fix ranges over the map's keys in their order.
func fix(p *rule.Pass, o flow.Origin) *rule.Fix {
	src := rewrite.Of(p.Pass)
	loop := loopAt(p, o)
	if loop == nil {
		return nil
	}
	key, ok := loop.Key.(*ast.Ident)
	m, isMap := p.TypesInfo.TypeOf(loop.X).Underlying().(*types.Map)
	if !ok || key.Name == "_" || !isMap || !isOrdered(m.Key()) || !isPlain(loop.X) {
		return nil
	}
	edits, ok := src.Import(src.File(loop), "maps", "slices")
	if !ok {
		return nil
	}
	x := src.Text(loop.X)
	header := fmt.Sprintf("for _, %s := range slices.Sorted(maps.Keys(%s)) {", key.Name, x)
	if value, ok := loop.Value.(*ast.Ident); ok && value.Name != "_" {
		header += fmt.Sprintf("\n%s := %s[%s]", value.Name, x, key.Name)
	}
	edits = append(edits, analysis.TextEdit{Pos: loop.Pos(), End: loop.Body.Lbrace + 1, NewText: []byte(header)})
	return &rule.Fix{Message: "range over the sorted keys", Edits: edits}
}

// loopAt finds the loop that an origin speaks of.
func loopAt(p *rule.Pass, o flow.Origin) *ast.RangeStmt {
	var found *ast.RangeStmt
	for _, file := range p.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if r, ok := n.(*ast.RangeStmt); ok && r.Pos() == o.Pos && r.End() == o.End {
				found = r
			}
			return found == nil
		})
	}
	return found
}

func isOrdered(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsOrdered != 0
}

// isPlain reports whether an expression can be evaluated twice.
func isPlain(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPlain(e.X)
	}
	return false
}
