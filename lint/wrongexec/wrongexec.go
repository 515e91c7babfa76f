package wrongexec

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
	Name:     "wrongexec",
	Doc:      doc,
	Severity: rule.Warning,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, s := range p.Flow.Statements {
		if s.Kind != flow.OnPool || !s.Stmt.Writes() {
			continue
		}
		switch {
		case p.Flow.Handler(s.Call.Pos()) != nil:
			p.Report(rule.Finding{
				At:   s.Call,
				What: fmt.Sprintf("this %s goes to the pool and not to the completion transaction", s.Stmt.Verb),
				Why:  "it stays although the step may be done again",
				Do:   "write through ctx.CompletionTx()",
				Fix:  fix(p, s),
			})
		case p.Flow.InCallback(s):
			p.Report(rule.Finding{
				At:   s.Call,
				What: fmt.Sprintf("this %s goes to the outer database handle and not to the transaction", s.Stmt.Verb),
				Why:  "it stays although the transaction may roll back",
				Do:   "write through the transaction that the function is given",
			})
		}
	}
	for _, c := range p.Flow.Calls {
		if c.Effect == known.Pool && p.Flow.Handler(c.Syntax.Pos()) != nil {
			p.Report(rule.Finding{
				At:   c.Syntax,
				What: fmt.Sprintf("a write goes to the pool and not to the completion transaction (%s)", c.What),
				Why:  "it stays although the step may be done again",
				Do:   "hand the function ctx.CompletionTx()",
			})
		}
	}
}
