package keytoolong

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/ambiguouskey"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Analyzer is the rule.
var Analyzer = rule.New(rule.Rule{
	Name:     "keytoolong",
	Doc:      doc,
	Severity: rule.Warning,
	Before:   []*analysis.Analyzer{ambiguouskey.Analyzer},
	Run:      run,
})

func run(p *rule.Pass) {
	for s := range p.Keys {
		if least := s.Value.MinLength(); s.Limit.Max > 0 && least > s.Limit.Max {
			p.ReportKey(s, rule.Finding{
				What: fmt.Sprintf("the key (%s) has at least %d bytes", s.Name, least),
				Why:  fmt.Sprintf("%s takes %d", s.Limit.Provider, s.Limit.Max),
				Do:   "hash what makes it long",
			})
		}
	}
}
