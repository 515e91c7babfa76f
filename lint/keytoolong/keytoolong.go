package keytoolong

import (
	_ "embed"
	"fmt"

	"github.com/idem-go/idem/lint/ambiguouskey"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "keytoolong",
	Doc:      doc,
	Severity: rule.Warning,
	Before:   []*rule.Rule{ambiguouskey.Rule},
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

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
