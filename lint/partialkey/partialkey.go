package partialkey

import (
	_ "embed"
	"fmt"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/unstablekey"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "partialkey",
	Doc:      doc,
	Severity: rule.Warning,
	Before:   []*rule.Rule{unstablekey.Rule},
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for s := range p.Keys {
		if s.Column {
			continue // the table tells the effect
		}
		runID, hasRun := s.Value.Find(flow.Run)
		node, hasNode := s.Value.Find(flow.Node)
		if hasRun == hasNode || hasOther(s.Value) {
			continue
		}
		switch {
		case hasRun && !s.Value.Has(flow.Word):
			p.ReportKey(s, rule.Finding{
				What:    fmt.Sprintf("the key (%s) has the run, %s, and not the step", s.Name, rule.Origin(runID)),
				Why:     "all steps of the run share it",
				Do:      "add the node or the activity, or a constant that names the effect",
				Related: rule.Hop(runID),
				Fix:     fix(p, s.Expr),
			})
		case hasNode:
			p.ReportKey(s, rule.Finding{
				What:    fmt.Sprintf("the key (%s) has the step, %s, and not the run", s.Name, rule.Origin(node)),
				Why:     "it is the same in every run",
				Do:      "add the run",
				Related: rule.Hop(node),
				Fix:     fix(p, s.Expr),
			})
		}
	}
}

// hasOther reports whether anything else is part of the key, such as an identity of the business.
func hasOther(v *flow.Value) bool {
	for _, o := range v.Origins() {
		if o.Kind != flow.Run && o.Kind != flow.Node && o.Kind != flow.Word {
			return true
		}
	}
	return false
}
