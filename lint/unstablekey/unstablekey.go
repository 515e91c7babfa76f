package unstablekey

import (
	_ "embed"
	"fmt"

	"github.com/idem-go/idem/lint/freshkey"
	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "unstablekey",
	Doc:      doc,
	Severity: rule.Error,
	Before:   []*rule.Rule{freshkey.Rule},
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

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
