package slowtx

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/known"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "slowtx",
	Doc:      doc,
	Severity: rule.Warning,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, c := range p.Flow.Calls {
		if c.Effect != known.Wait || c.Open == nil {
			continue
		}
		p.Report(rule.Finding{
			At:      c.Syntax,
			What:    fmt.Sprintf("%s while a transaction is open", c.What),
			Why:     "it keeps its locks and its connection meanwhile",
			Do:      "wait before the first statement, or after the commit",
			Related: rule.OpenedAt(c.Open),
		})
	}
	for _, s := range p.Flow.Statements {
		if (s.Kind == flow.Completion || s.Kind == flow.InTx) && slices.ContainsFunc(s.Stmt.Calls, sleeps) {
			p.Report(rule.Finding{
				At:   s.Place(),
				What: "the statement sleeps in the transaction",
				Why:  "it keeps its locks and its connection meanwhile",
				Do:   "wait before the first statement, or after the commit",
			})
		}
	}
}

func sleeps(function string) bool { return function == "pg_sleep" || function == "pg_sleep_for" }
