package effectintx

import (
	_ "embed"
	"fmt"

	"github.com/idem-go/idem/lint/internal/known"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "effectintx",
	Doc:      doc,
	Severity: rule.Error,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, c := range p.Flow.Calls {
		if c.Effect != known.Network || c.Open == nil {
			continue
		}
		p.Report(rule.Finding{
			At:      c.Syntax,
			What:    fmt.Sprintf("%s while a transaction is open", c.What),
			Why:     "a rollback does not take it back, and the transaction waits for it",
			Do:      "write it to an outbox in the transaction, or do it before or after",
			Related: rule.OpenedAt(c.Open),
		})
	}
}
