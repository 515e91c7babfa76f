package handler

import (
	"go/ast"
	"go/types"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/resolve"
)

// test finds what the handler's test runs it with. A method without a fixture has no test: what its receiver needs,
// only its author knows.
func (r resolver) test(p directive.Placed, fn *types.Func, h *Handler) {
	given, ok := r.fixture(p, h)
	if !ok || !r.Package.Tested || h.Recv != nil && given.name == "" {
		return
	}
	test := &Test{Fixture: given.name}
	if !given.input {
		in := resolve.Slots(p.Func.Type.Params, fn.Signature().Params())[1]
		if !r.makeUp(test, in, h) {
			return
		}
	}
	h.Test = test
	r.Claim(p.Pos, "the test of "+h.Selector(), []string{h.TestName()})
}

// makeUp makes up an input. The harness then changes one of its values after the other, which shows more than a
// second sample would, in which all differ, the business key among them. Where it can change none, there is one.
func (r resolver) makeUp(test *Test, in resolve.Slot, h *Handler) bool {
	first := &sampler{Resolver: r.Resolver, n: 1, within: map[string]bool{}}
	input, why := first.sample(in.Type, "input")
	if why == nil && input == nil {
		why = &noSample{"the input", "has no value that could"}
	}
	if why != nil {
		name := test.Fixture
		if name == "" {
			name = h.FixtureName()
		}
		r.unsampled(in.Expr, why, name, h)
		return false
	}
	test.Input = input
	if first.changeable {
		return true
	}
	second := &sampler{Resolver: r.Resolver, n: 2, within: map[string]bool{}}
	if other, why := second.sample(in.Type, "input"); why == nil && !sameSample(input, other) {
		test.Other = other
	}
	return true
}

func (r resolver) unsampled(at ast.Expr, why *noSample, fixture string, h *Handler) {
	r.Add(at.Pos(), "unsampled-input", "write "+r.fixtureForm(fixture, h)+" in a test file, and name it with fixture="+fixture,
		"no input can be made up for the test of %s: %s %s", h.Selector(), why.what, why.reason)
}
