package resolve

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
)

// test finds what the handler's test runs it with. A method without a fixture has no test: what its receiver needs,
// only its author knows.
func (r *resolver) test(p directive.Placed, fn *types.Func, h *model.Handler) {
	given, ok := r.fixture(p, h)
	if !ok || !r.tests || h.Recv != nil && given.name == "" {
		return
	}
	test := &model.Test{Fixture: given.name}
	if !given.input {
		in := slotsOf(p.Func.Type.Params, fn.Signature().Params())[1]
		if !r.makeUp(test, in, h) {
			return
		}
	}
	h.Test = test
	r.names.claim(p.Pos, "the test of "+h.Selector(), []string{h.TestName()})
}

// makeUp makes up an input. The harness then changes one of its values after the other, which shows more than a
// second sample would, in which all differ, the business key among them. Where it can change none, there is one.
func (r *resolver) makeUp(test *model.Test, in slot, h *model.Handler) bool {
	first := &sampler{resolver: r, n: 1, within: map[string]bool{}}
	input, why := first.sample(in.typ, "input")
	if why == nil && input == nil {
		why = &noSample{"the input", "has no value that could"}
	}
	if why != nil {
		name := test.Fixture
		if name == "" {
			name = h.FixtureName()
		}
		r.unsampled(in.expr, why, name, h)
		return false
	}
	test.Input = input
	if first.changeable {
		return true
	}
	second := &sampler{resolver: r, n: 2, within: map[string]bool{}}
	if other, why := second.sample(in.typ, "input"); why == nil && !sameSample(input, other) {
		test.Other = other
	}
	return true
}

func (r *resolver) unsampled(at ast.Expr, why *noSample, fixture string, h *model.Handler) {
	r.add(at.Pos(), "unsampled-input", "write "+r.fixtureForm(fixture, h)+" in a test file, and name it with fixture="+fixture,
		"no input can be made up for the test of %s: %s %s", h.Selector(), why.what, why.reason)
}

// testNames gives the identifiers that the package's own tests add to its scope.
func (r *resolver) testNames() []string {
	scope := r.pkg.Types.Scope()
	return slices.DeleteFunc(r.withTests().Scope().Names(), func(name string) bool { return scope.Lookup(name) != nil })
}
