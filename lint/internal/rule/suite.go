package rule

import (
	"go/ast"
	"maps"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/ignore"
)

// Suite makes rules into analyzers that share one evaluation of each package. What the options of one suite say has
// no effect on another: each has an evaluation, results and facts of its own.
type Suite struct {
	options *flow.Options
	flow    *analysis.Analyzer
	made    map[*Rule]*analysis.Analyzer
}

// Default makes the analyzers that the rules' packages offer. It is complete when these are initialised.
var Default = NewSuite(&flow.Options{})

// NewSuite returns a suite without analyzers. The options are read when a package is analyzed, so that flags may set
// them before.
func NewSuite(o *flow.Options) *Suite {
	return &Suite{options: o, flow: flow.New(o), made: map[*Rule]*analysis.Analyzer{}}
}

// Analyzer returns the suite's analyzer of a rule, and makes it where there is none.
func (s *Suite) Analyzer(r *Rule) *analysis.Analyzer {
	if a := s.made[r]; a != nil {
		return a
	}
	before := s.Analyzers(r.Before)
	a := &analysis.Analyzer{
		Name:             r.Name,
		Doc:              text(r.Name, r.Doc),
		URL:              URL(r.Name),
		RunDespiteErrors: true,
		Requires:         append([]*analysis.Analyzer{s.flow, ignore.Analyzer}, before...),
		ResultType:       reflect.TypeFor[*Outcome](),
		Run: func(pass *analysis.Pass) (any, error) {
			p := &Pass{Pass: pass, rule: r, out: &Outcome{map[*ignore.Directive]bool{}, map[*ignore.Directive]bool{}, map[ast.Expr]bool{}}}
			p.Flow = pass.ResultOf[s.flow].(*flow.Package)
			p.ignored = pass.ResultOf[ignore.Analyzer].(ignore.Directives)
			for _, b := range before {
				outcome := pass.ResultOf[b].(*Outcome)
				p.Before = append(p.Before, outcome)
				maps.Copy(p.out.claimed, outcome.claimed)
			}
			r.Run(p)
			return p.out, nil
		},
	}
	if r.Flags != nil {
		r.Flags(&a.Flags, s.options)
	}
	s.made[r] = a
	return a
}

// Analyzers returns those of several rules.
func (s *Suite) Analyzers(rules []*Rule) []*analysis.Analyzer {
	var list []*analysis.Analyzer
	for _, r := range rules {
		list = append(list, s.Analyzer(r))
	}
	return list
}
