package freshkey

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/attemptkey"
	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Analyzer is the rule.
var Analyzer = rule.New(rule.Rule{
	Name:     "freshkey",
	Doc:      doc,
	Severity: rule.Error,
	Before:   []*analysis.Analyzer{attemptkey.Analyzer},
	Run:      run,
})

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
