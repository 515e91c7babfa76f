package conflicttarget

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/internal/sqltext"
)

//go:embed doc.go
var doc string

// Analyzer is the rule.
var Analyzer = rule.New(rule.Rule{
	Name:     "conflicttarget",
	Doc:      doc,
	Severity: rule.Error,
	Run:      run,
})

func run(p *rule.Pass) {
	for _, s := range p.Flow.Statements {
		if s.Remote != "" || s.Stmt.Conflict == nil || len(s.Stmt.Columns) == 0 {
			continue
		}
		what, why, do := judge(s.Stmt)
		if what != "" {
			p.Report(rule.Finding{At: s.Place(), What: what, Why: why, Do: do})
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
		if !slices.Contains(s.Columns, column) {
			return fmt.Sprintf("the conflict target has the column %s, which the statement does not insert", column),
				"the conflict never happens", "name the columns of the effect's key"
		}
	}
	node := NodeColumn(s)
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

// nodeColumns are what the step's column is called beside run_id.
var nodeColumns = []string{"node", "node_id", "step", "step_id", "activity_id"}

// NodeColumn gives the column that makes a pair with run_id, if the statement inserts both; or "".
func NodeColumn(s *sqltext.Statement) string {
	if !slices.Contains(s.Columns, "run_id") {
		return ""
	}
	for _, column := range nodeColumns {
		if slices.Contains(s.Columns, column) {
			return column
		}
	}
	return ""
}
