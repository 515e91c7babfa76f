package ambiguouskey

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
)

// fix puts a colon between the parts.
func fix(p *rule.Pass, key ast.Expr) *rule.Fix {
	src := rewrite.Of(p.Pass)
	expr := src.Definition(key)
	var edits []analysis.TextEdit
	if f, ok := src.FormatOf(expr); ok {
		for i := range f.Args {
			if e, ok := f.Separate(i); ok {
				edits = append(edits, e)
			}
		}
	} else {
		list := rewrite.Operands(expr)
		for i := range len(list) - 1 {
			if varies(p, list[i]) && varies(p, list[i+1]) {
				edits = append(edits, rewrite.Insert(list[i].End(), ` + ":"`))
			}
		}
	}
	if len(edits) == 0 {
		return nil
	}
	return &rule.Fix{Message: "put a separator between the parts", Edits: edits}
}

// varies reports whether an operand's length does.
func varies(p *rule.Pass, e ast.Expr) bool {
	v := p.Flow.ValueOf(e)
	return v != nil && len(v.Parts) > 0 && !isFixed(v)
}

func isFixed(v *flow.Value) bool {
	for _, part := range v.Parts {
		if !part.Fixed {
			return false
		}
	}
	return true
}
