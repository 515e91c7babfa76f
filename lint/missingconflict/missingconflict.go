package missingconflict

import (
	_ "embed"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "missingconflict",
	Doc:      doc,
	Severity: rule.Warning,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, s := range p.Flow.Statements {
		if s.Stmt.Verb != "INSERT" && s.Stmt.Verb != "COPY" || s.Stmt.Conflict != nil || s.Stmt.Guarded {
			continue
		}
		again := p.Flow.Again(s.Call.Pos())
		if again == nil || flow.IsAttemptTable(s.Table) || p.Flow.Completes(s) || p.Flow.Emptied(s) {
			continue
		}
		p.Report(rule.Finding{
			At:   s.Place(),
			What: what(s),
			Why:  "this code runs again (" + again.Why + ")",
			Do:   "add ON CONFLICT … DO NOTHING under the key of the effect",
			Fix:  fix(p, s),
		})
	}
}

func what(s *flow.Statement) string {
	table := s.Table
	if table != "" {
		table = " into " + table
	}
	verb := "this INSERT" + table
	if s.Stmt.Verb == "COPY" {
		verb = "this COPY" + table
	}
	if s.Remote != "" {
		verb += " at " + s.Remote
	}
	return verb + " does not handle a row that is there already"
}
