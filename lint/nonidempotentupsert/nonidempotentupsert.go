package nonidempotentupsert

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/internal/sqltext"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "nonidempotentupsert",
	Doc:      doc,
	Severity: rule.Warning,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, s := range p.Flow.Statements {
		column := relative(s.Stmt)
		again := p.Flow.Again(s.Call.Pos())
		if column == "" || again == nil || versioned(s.Stmt) || p.Flow.Completes(s) || p.Flow.Gated(s) {
			continue
		}
		if s.Kind == flow.Completion && !deduplicates(s.Stmt) {
			continue // it commits with the step
		}
		p.Report(rule.Finding{
			At:   s.Place(),
			What: fmt.Sprintf("%s of %s grows in each execution", column, s.Table),
			Why:  "this code runs again (" + again.Why + ")",
			Do:   "do it only when a row for the event was inserted before, in the same transaction",
		})
	}
}

// relative returns the column that adds to itself, or "".
func relative(s *sqltext.Statement) string {
	for _, a := range s.Set {
		if a.Relative {
			return a.Column
		}
	}
	return ""
}

// versioned reports whether the WHERE clause lets one of several executions pass: it compares the version,
// or the column that grows.
func versioned(s *sqltext.Statement) bool {
	where := s.Where
	if s.Conflict != nil {
		where = s.Conflict.Where
	}
	return slices.ContainsFunc(where, func(word string) bool {
		return slices.Contains([]string{"version", "revision", "lock_version", "epoch", "seq", "sequence", "generation"}, word) || word == relative(s)
	})
}

// deduplicates reports whether the conflict target is the key of an effect: then the row is that of the
// execution before.
func deduplicates(s *sqltext.Statement) bool {
	return s.Conflict != nil && flow.IsEffectKey(s.Conflict.Target)
}
