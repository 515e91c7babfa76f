package conflicttarget

import (
	_ "embed"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/internal/sqltext"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "conflicttarget",
	Doc:      doc,
	Severity: rule.Error,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, s := range p.Flow.Statements {
		if s.Remote != "" || s.Stmt.Conflict == nil || len(s.Stmt.Columns) == 0 {
			continue
		}
		what, why, do := judge(s.Stmt)
		if what != "" {
			p.Report(rule.Finding{At: s.Place(), What: what, Why: why, Do: do, Fix: fix(p, s)})
		}
	}
}

// judge compares the target with the columns.
func judge(s *sqltext.Statement) (what, why, do string) {
	c := s.Conflict
	if c.Expression || c.Partial || len(c.Target) == 0 {
		return "", "", ""
	}
	for _, column := range c.Target {
		if !slices.Contains(s.Columns, column) && isNewEachTime(column) {
			return fmt.Sprintf("the conflict target has the column %s, which the statement does not insert", column),
				"the conflict never happens", "name the columns of the effect's key"
		}
	}
	node := s.NodeColumn()
	if node == "" || len(c.Target) != 1 {
		return "", "", ""
	}
	switch c.Target[0] {
	case "run_id":
		return "the conflict target has the run and not " + node, "the rows of the run's other steps are dropped", "make it (run_id, " + node + ")"
	case node:
		return "the conflict target has " + node + " and not the run", "the rows of all other runs are dropped", "make it (run_id, " + node + ")"
	}
	return "", "", ""
}

// isNewEachTime reports whether a column that is left out is filled with something new, or with nothing:
// a serial number, a UUID, the time, the key of an effect. Another column may have a constant default.
func isNewEachTime(column string) bool {
	switch column {
	case "id", "uuid", "guid", "pk", "seq", "serial", "run_id", "node":
		return true
	}
	return strings.HasSuffix(column, "_uuid") || strings.HasSuffix(column, "_at") || flow.IsEffectKey([]string{column})
}

// fix completes the target where the statement inserts the run and the node.
func fix(p *rule.Pass, s *flow.Statement) *rule.Fix {
	node, c := s.Stmt.NodeColumn(), s.Stmt.Conflict
	lit := rewrite.Of(p.Pass).Literal(s.SQL)
	if node == "" || lit == nil || c.End == 0 {
		return nil
	}
	if text, plain := rewrite.Plain(lit); !plain || text != s.Text {
		return nil
	}
	start := lit.Pos() + 1
	return &rule.Fix{Message: "name the key of the effect", Edits: []analysis.TextEdit{{
		Pos: start + token.Pos(c.Start), End: start + token.Pos(c.End), NewText: []byte("(run_id, " + node + ")"),
	}}}
}
