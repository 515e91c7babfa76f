package txcontrol

import (
	_ "embed"
	"fmt"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/known"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "txcontrol",
	Doc:      doc,
	Severity: rule.Error,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, s := range p.Flow.Statements {
		if s.Stmt.Controls() && s.Remote == "" && s.Kind != flow.Completion && p.Flow.Handler(s.Call.Pos()) != nil {
			p.Report(rule.Finding{
				At:   s.Place(),
				What: s.Stmt.Verb + " in a handler",
				Why:  "a transaction of its own commits although the step may be done again",
				Do:   "write through ctx.CompletionTx()",
			})
		}
		if s.Kind == flow.Completion && s.Stmt.Controls() {
			p.Report(rule.Finding{
				At:   s.Place(),
				What: s.Stmt.Verb + " on the completion transaction",
				Why:  "what was written then no longer commits with the step",
				Do:   "remove it; idem begins and commits",
				Fix:  fix(p, s.Call),
			})
		}
	}
	for _, c := range p.Flow.Calls {
		switch {
		case c.Effect == known.End:
			p.Report(rule.Finding{
				At:   c.Syntax,
				What: c.What + " on the completion transaction",
				Why:  "what was written then no longer commits with the step",
				Do:   "remove it; idem begins and commits",
			})
		case c.Effect == known.Begin && !c.Own && p.Flow.Handler(c.Syntax.Pos()) != nil:
			p.Report(rule.Finding{
				At:   c.Syntax,
				What: fmt.Sprintf("%s in a handler begins a transaction of its own", c.What),
				Why:  "it commits although the step may be done again",
				Do:   "write through ctx.CompletionTx()",
			})
		case c.Effect == known.Begin && !c.Own && c.Open != nil:
			p.Report(rule.Finding{
				At:      c.Syntax,
				What:    fmt.Sprintf("%s begins a second transaction while one is open", c.What),
				Why:     "they commit apart, and it waits for a connection while the first one holds its own",
				Do:      "use the open transaction",
				Related: rule.OpenedAt(c.Open),
			})
		}
	}
}
