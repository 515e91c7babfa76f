package unstablekey

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/freshkey"
	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Analyzer is the rule.
var Analyzer = rule.New(rule.Rule{
	Name:     "unstablekey",
	Doc:      doc,
	Severity: rule.Error,
	Before:   []*analysis.Analyzer{freshkey.Analyzer},
	Run:      run,
})

func run(p *rule.Pass) {
	for s := range p.Keys {
		if o, ok := s.Value.Find(flow.Order); ok {
			p.ReportKey(s, rule.Finding{
				What:    fmt.Sprintf("the key (%s) depends on %s", s.Name, rule.Origin(o)),
				Why:     "it is another one in each execution",
				Do:      "sort first, or use something that stays the same",
				Related: rule.Hop(o),
				Fix:     fix(p, o),
			})
		}
	}
}
