package badignore

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/lint/internal/ignore"
	"github.com/idem-go/idem/lint/internal/rewrite"
	"github.com/idem-go/idem/lint/internal/rule"
)

//go:embed doc.go
var doc string

// New describes the rule. It comes last: it must know which directives the others needed.
func New(rules []*rule.Rule) *rule.Rule {
	names := []string{"badignore"}
	for _, r := range rules {
		names = append(names, r.Name)
	}
	return &rule.Rule{
		Name:     "badignore",
		Doc:      doc,
		Severity: rule.Warning,
		Before:   rules,
		Run:      func(p *rule.Pass) { run(p, names) },
	}
}

func run(p *rule.Pass, names []string) {
	used, meant := map[*ignore.Directive]bool{}, map[*ignore.Directive]bool{}
	for _, outcome := range p.Before {
		maps.Copy(used, outcome.Used)
		maps.Copy(meant, outcome.Meant)
	}
	for _, d := range p.Ignores() {
		what, do := judge(d, names)
		unused := !used[d] && !meant[d] && len(p.TypeErrors) == 0
		if what == "" && unused {
			what, do = "this directive silences nothing", "remove it"
		}
		if what == "" {
			continue
		}
		f := rule.Finding{At: d.Comment, What: what, Do: do}
		if unused && !strings.HasPrefix(do, "did you mean") {
			f.Fix = &rule.Fix{Message: "remove the directive", Edits: []analysis.TextEdit{rewrite.Of(p.Pass).DeleteLines(d.Comment)}}
		}
		p.Report(f)
	}
}

// judge finds what is wrong with a directive itself.
func judge(d *ignore.Directive, names []string) (what, do string) {
	for _, r := range d.Rules {
		if !slices.Contains(names, r) {
			do := diag.DidYouMean(diag.Suggest(r, names))
			if do == "" {
				do = "the rules are " + strings.Join(names[1:], ", ")
			}
			return "there is no rule " + r, do
		}
	}
	switch {
	case len(d.Rules) == 0:
		return "this directive names no rule", "write //idem:ignore RULE -- REASON"
	case d.Reason == "":
		return "this directive gives no reason, so it does not apply", "add one: //idem:ignore " + strings.Join(d.Rules, ",") + " -- REASON"
	}
	return "", ""
}
