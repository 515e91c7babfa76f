// Package rule is what the rules have in common: how one is made into an analyzer, how it reports, and
// how a directive silences it.
//
// A rule is a folder of package lint. It has a doc.go, whose text is the help of the rule, and a function
// that looks at what package flow found:
//
//	var Rule = &rule.Rule{Name: "slowtx", Doc: doc, Severity: rule.Warning, Run: run}
//
//	var Analyzer = rule.Default.Analyzer(Rule)
//
//	//go:embed doc.go
//	var doc string
//
//	func run(p *rule.Pass) {
//		for _, c := range p.Flow.Calls {
//			if c.Effect == known.Wait && c.Open != nil {
//				p.Report(rule.Finding{At: c.Syntax, What: …, Why: …, Do: …})
//			}
//		}
//	}
//
// A [Suite] makes analyzers of rules. Options belong to a suite, or are flags of one of its analyzers; none of them is
// a variable of a package, so that two suites in one process do not meet.
//
// To add one, write the folder and add it to the list in package lint.
package rule
