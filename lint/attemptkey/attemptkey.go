package attemptkey

import (
	_ "embed"
	"flag"
	"fmt"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "attemptkey",
	Doc:      doc,
	Severity: rule.Error,
	Flags:    flags,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func flags(set *flag.FlagSet, o *flow.Options) {
	set.BoolVar(&o.AttemptNames, "names", o.AttemptNames, "take fields and parameters for attempts that are only called so")
}

func run(p *rule.Pass) {
	for s := range p.Keys {
		if o, ok := s.Value.Find(flow.Attempt); ok {
			p.ReportKey(s, rule.Finding{
				What:    fmt.Sprintf("the attempt number, %s, is part of the key (%s)", rule.Origin(o), s.Name),
				Why:     "every retry then has another key and the work is done again",
				Do:      "leave the attempt out of the key",
				Related: rule.Hop(o),
				Fix:     fix(p, s),
			})
		}
	}
}
