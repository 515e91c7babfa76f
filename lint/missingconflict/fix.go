package missingconflict

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/internal/sqltext"
)

// fix adds the conflict clause of an effect, where the statement inserts the run and the node. With
// RETURNING it would change what comes back.
func fix(p *rule.Pass, s *flow.Statement) *rule.Fix {
	node := s.Stmt.NodeColumn()
	if s.SQL == nil || node == "" || s.Stmt.Returns || len(sqltext.Parse(s.Text)) != 1 {
		return nil
	}
	lit := rewrite.Of(p.Pass).Literal(s.SQL)
	if lit == nil {
		return nil
	}
	text, plain := rewrite.Plain(lit)
	if !plain || text != s.Text || strings.Contains(text, ";") {
		return nil
	}
	at := lit.Pos() + 1 + token.Pos(s.Stmt.End)
	return &rule.Fix{
		Message: "leave a row alone that is there already",
		Edits:   []analysis.TextEdit{rewrite.Insert(at, " ON CONFLICT (run_id, "+node+") DO NOTHING")},
	}
}
