package txescape

import (
	_ "embed"

	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "txescape",
	Doc:      doc,
	Severity: rule.Error,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, e := range p.Flow.Escapes {
		p.Report(rule.Finding{
			At:   e,
			What: e.What + " " + e.How,
			Why:  "it belongs to one goroutine, and only until the handler returns",
			Do:   "use it here, and hand on the results",
		})
	}
}
