package rule

import (
	"flag"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/ignore"
)

// Severity says how sure a finding is a mistake.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Rule describes a rule.
type Rule struct {
	Name     string
	Doc      string // the source of the rule's doc.go
	Severity Severity
	// Before are rules that come first: for an expression that one of them has spoken of, this rule has
	// nothing to say.
	Before []*Rule
	Flags  func(*flag.FlagSet, *flow.Options) // defines the analyzer's flags; nil without any
	Run    func(*Pass)
}

// Outcome is the result of a rule's analyzer.
type Outcome struct {
	Used    map[*ignore.Directive]bool // the directives that silenced it
	Meant   map[*ignore.Directive]bool // those that would have, had they a reason
	claimed map[ast.Expr]bool          // what it, or a rule before it, has spoken of
}

// URL is the page of a rule.
func URL(name string) string {
	return "https://pkg.go.dev/github.com/idem-go/idem/lint/" + name + "#hdr-" + name
}

// text is the package comment of a doc.go without its first words, "Package name".
func text(name, source string) string {
	var lines []string
	for line := range strings.Lines(source) {
		if rest, ok := strings.CutPrefix(line, "//"); ok {
			lines = append(lines, strings.TrimPrefix(strings.TrimRight(rest, "\n"), " "))
		} else if len(lines) > 0 {
			break
		}
	}
	return strings.TrimPrefix(strings.TrimSpace(strings.Join(lines, "\n")), "Package "+name+" ")
}

// Pass is a run of a rule over a package.
type Pass struct {
	*analysis.Pass
	Flow    *flow.Package
	Before  []*Outcome // of the rules before, in their order
	rule    *Rule
	out     *Outcome
	ignored ignore.Directives
}

// Flag reports whether a flag of the rule's analyzer is set, which must be a boolean one that it has defined.
func (p *Pass) Flag(name string) bool {
	return p.Analyzer.Flags.Lookup(name).Value.(flag.Getter).Get().(bool)
}

// Finding is what a rule has to say about a place: what is wrong, why that is, and what to do.
type Finding struct {
	At            analysis.Range
	What, Why, Do string
	Related       []analysis.RelatedInformation
	Fix           *Fix
}

// Fix is a change of the source that mends a finding.
type Fix struct {
	Message string
	Edits   []analysis.TextEdit
}

// Report tells a finding, unless a directive silences it. Tests are not redelivered by anything, so
// nothing is said of them.
func (p *Pass) Report(f Finding) {
	at := p.Fset.Position(f.At.Pos())
	if strings.HasSuffix(at.Filename, "_test.go") {
		return
	}
	for _, d := range p.ignored.For(p.rule.Name, at) {
		if d.Reason != "" {
			p.out.Used[d] = true
			return
		}
		p.out.Meant[d] = true
	}
	d := analysis.Diagnostic{
		Pos: f.At.Pos(), End: f.At.End(), Category: p.rule.Name, URL: URL(p.rule.Name), Related: f.Related,
		Message: "[" + p.rule.Name + "] " + sentence(f.What, f.Why, f.Do),
	}
	if f.Fix != nil && len(f.Fix.Edits) > 0 && !p.isGenerated(f.At.Pos()) {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: f.Fix.Message, TextEdits: f.Fix.Edits}}
	}
	p.Pass.Report(d)
}

func sentence(parts ...string) string {
	var said []string
	for _, s := range parts {
		if s != "" {
			said = append(said, s)
		}
	}
	return strings.Join(said, "; ")
}

func (p *Pass) isGenerated(pos token.Pos) bool {
	for _, file := range p.Files {
		if file.FileStart <= pos && pos <= file.FileEnd {
			return ast.IsGenerated(file)
		}
	}
	return false
}

// Keys returns the keys that no rule before has spoken of.
func (p *Pass) Keys(yield func(*flow.Sink) bool) {
	for _, s := range p.Flow.Sinks {
		if !p.out.claimed[s.Expr] && !yield(s) {
			return
		}
	}
}

// ReportKey tells a finding about a key, of which the rules behind will not speak again.
func (p *Pass) ReportKey(s *flow.Sink, f Finding) {
	f.At = s.Expr
	p.out.claimed[s.Expr] = true
	p.Report(f)
}

// Ignores returns the package's directives.
func (p *Pass) Ignores() ignore.Directives { return p.ignored }

// Hop is related information: where the value comes into view.
func Hop(o flow.Origin) []analysis.RelatedInformation {
	if !o.Pos.IsValid() {
		return nil
	}
	return []analysis.RelatedInformation{{Pos: o.Pos, Message: Origin(o) + " comes in here"}}
}

// Origin words an origin.
func Origin(o flow.Origin) string {
	if o.Via != "" {
		return o.What + " (" + o.Via + ")"
	}
	return o.What
}

// OpenedAt is related information: where a transaction was opened.
func OpenedAt(o *flow.Open) []analysis.RelatedInformation {
	message := "the transaction begins here"
	if o.Completion {
		message = "the first statement in the completion transaction"
	}
	return []analysis.RelatedInformation{{Pos: o.Pos, Message: message}}
}
