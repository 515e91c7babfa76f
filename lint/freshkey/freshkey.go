package freshkey

import (
	_ "embed"
	"fmt"

	"github.com/idem-go/idem/lint/attemptkey"
	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "freshkey",
	Doc:      doc,
	Severity: rule.Error,
	Before:   []*rule.Rule{attemptkey.Rule},
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for s := range p.Keys {
		for _, o := range s.Value.Origins() {
			if o.Kind != flow.Fresh {
				continue
			}
			again := p.Flow.AgainFrom(s.Expr.Pos(), o.Pos)
			if again == nil {
				continue
			}
			p.ReportKey(s, rule.Finding{
				What:    fmt.Sprintf("%s makes the key (%s) new in each execution", rule.Origin(o), s.Name),
				Why:     "this code runs again (" + again.Why + "), and the work is then done again",
				Do:      "derive the key from what is the same in each execution",
				Related: rule.Hop(o),
				Fix:     fix(p, s, again),
			})
			break
		}
	}
}
