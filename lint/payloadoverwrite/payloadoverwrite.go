package payloadoverwrite

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/internal/sqltext"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "payloadoverwrite",
	Doc:      doc,
	Severity: rule.Warning,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

func run(p *rule.Pass) {
	for _, s := range p.Flow.Statements {
		c := s.Stmt.Conflict
		if s.Remote != "" || c == nil || len(c.Where) > 0 {
			continue
		}
		if !flow.IsEffectKey(c.Target) && !(isMessage(c.Target) && p.Flow.Again(s.Call.Pos()) != nil) {
			continue
		}
		if column := overwritten(s.Stmt); column != "" {
			p.Report(rule.Finding{
				At:   s.Place(),
				What: fmt.Sprintf("a second command under the key (%s) replaces %s of the first one", strings.Join(c.Target, ", "), column),
				Why:  "the first one may have been carried out",
				Do:   "DO NOTHING, then compare a digest and fail when it differs",
			})
		}
	}
}

// isMessage reports whether a target is the identity of a message or an event.
func isMessage(target []string) bool {
	return len(target) == 1 && (target[0] == "message_id" || target[0] == "event_id")
}

// overwritten returns a column that takes over a value of the second command, or "". Times, states and the
// key itself are no payload.
func overwritten(s *sqltext.Statement) string {
	for _, a := range s.Set {
		if a.Incoming && !slices.Contains(s.Conflict.Target, a.Column) && !isMark(a.Column) {
			return a.Column
		}
	}
	return ""
}

func isMark(column string) bool {
	switch column {
	case "status", "state", "updated", "modified", "attempt", "attempts", "version", "run_id", "node":
		return true
	}
	for _, suffix := range []string{"_at", "_time", "_ts", "_on", "_status", "_state"} {
		if strings.HasSuffix(column, suffix) {
			return true
		}
	}
	return false
}
