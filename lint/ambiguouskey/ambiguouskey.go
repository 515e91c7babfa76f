package ambiguouskey

import (
	_ "embed"
	"flag"
	"fmt"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/partialkey"
)

//go:embed doc.go
var doc string

// Rule describes the rule.
var Rule = &rule.Rule{
	Name:     "ambiguouskey",
	Doc:      doc,
	Severity: rule.Warning,
	Before:   []*rule.Rule{partialkey.Rule},
	Flags:    flags,
	Run:      run,
}

// Analyzer is the rule, with the options that its flags set.
var Analyzer = rule.Default.Analyzer(Rule)

// everywhere is the name of the flag.
const everywhere = "everywhere"

func flags(set *flag.FlagSet, _ *flow.Options) {
	set.Bool(everywhere, false, "report also in packages that do not import idem")
}

const runtimePath = "github.com/idem-go/idem/runtime"

func run(p *rule.Pass) {
	if !p.Flag(everywhere) && !importsIdem(p) {
		return
	}
	for s := range p.Keys {
		if _, glued := s.Value.Glued(); glued {
			p.ReportKey(s, rule.Finding{
				What: fmt.Sprintf("nothing separates two parts of the key (%s)", s.Name),
				Why:  "different parts can then make the same key",
				Do:   "put a separator between them",
				Fix:  fix(p, s.Expr),
			})
		}
	}
}

func importsIdem(p *rule.Pass) bool {
	for _, imported := range p.Pkg.Imports() {
		if imported.Path() == runtimePath {
			return true
		}
	}
	return false
}
