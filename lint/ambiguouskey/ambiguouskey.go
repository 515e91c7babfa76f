package ambiguouskey

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/partialkey"
)

//go:embed doc.go
var doc string

// Analyzer is the rule.
var Analyzer = rule.New(rule.Rule{
	Name:     "ambiguouskey",
	Doc:      doc,
	Severity: rule.Warning,
	Before:   []*analysis.Analyzer{partialkey.Analyzer},
	Run:      run,
})

var everywhere bool

func init() {
	Analyzer.Flags.BoolVar(&everywhere, "everywhere", false, "report also in packages that do not import idem")
}

const runtimePath = "github.com/idem-go/idem/runtime"

func run(p *rule.Pass) {
	if !everywhere && !importsIdem(p) {
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
