package handler

import (
	"go/ast"
	"go/types"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
)

// signature is that of a handler.
type signature struct{ resolve.Signature }

// signature checks the parameters and results of a handler, says what exactly differs from the form,
// and resolves In and Out.
func (r resolver) signature(decl *ast.FuncDecl, fn *types.Func, h *Handler) bool {
	if params := decl.Type.TypeParams; params != nil {
		r.Add(params.Opening, "generic-handler", "write a function for each type that calls it", "%s has type parameters", fn.Name())
		return false
	}
	s := signature{resolve.Signature{Resolver: r.Resolver, Decl: decl, Form: "func(runtime.Context, In) error"}}
	if h.Kind == Step {
		s.Form = "func(runtime.Context, In) (Out, error)"
	}
	in, inOK := s.params(fn.Signature())
	out, outOK := s.results(fn.Signature(), h.Kind)
	if !inOK || !outOK {
		return false
	}
	var ok bool
	if h.In, ok = r.Payload(in, "input"); !ok {
		inOK = false
	}
	if h.Kind == Step {
		t, ok := r.Payload(out, "output")
		h.Out, outOK = &t, ok
	}
	return inOK && outOK
}

// params checks for exactly a runtime.Context and an input, and returns the input.
func (s signature) params(sig *types.Signature) (in resolve.Slot, ok bool) {
	slots := resolve.Slots(s.Decl.Type.Params, sig.Params())
	ok = true
	switch {
	case len(slots) == 0:
		s.Wrong(s.Decl.Type.Params.Pos(), "", "it has no parameters")
		return in, false
	case len(slots) > 2:
		s.Wrong(slots[2].Expr.Pos(), "put what the handler needs into In, or into the receiver of a method", "it has %d parameters instead of 2", len(slots))
		ok = false
	case sig.Variadic():
		s.Wrong(slots[len(slots)-1].Expr.Pos(), "take a slice inside In", "its last parameter is variadic")
		ok = false
	}
	ok = s.context(slots[0]) && ok
	if len(slots) == 1 {
		s.Wrong(s.Decl.Type.Params.Closing, "", "it has no input")
		return in, false
	}
	return slots[1], ok
}

func (s signature) context(first resolve.Slot) bool {
	if resolve.IsNamed(first.Type, model.RuntimePath, "Context") {
		return true
	}
	if !s.Defined(first.Expr, first.Type, "the first parameter") {
		return false
	}
	s.Wrong(first.Expr.Pos(), "make it runtime.Context of "+model.RuntimePath, "its first parameter is %s", s.Display(first.Type))
	return false
}

// results checks for an error, and for an output before it where the kind has one.
func (s signature) results(sig *types.Signature, kind Sort) (out resolve.Slot, ok bool) {
	slots := resolve.Slots(s.Decl.Type.Results, sig.Results())
	want := 1
	if kind == Step {
		want = 2
	}
	switch {
	case len(slots) == 0:
		s.Wrong(s.Decl.Name.Pos(), "", "it returns nothing")
		return out, false
	case kind == Action && len(slots) == 2 && resolve.IsError(slots[1].Type):
		s.Wrong(slots[0].Expr.Pos(), "did you mean //idem:step?", "an action has no output")
		return out, false
	case kind == Step && len(slots) == 1 && resolve.IsError(slots[0].Type):
		s.Wrong(slots[0].Expr.Pos(), "did you mean //idem:action?", "a step has an output")
		return out, false
	case len(slots) != want:
		s.Wrong(slots[0].Expr.Pos(), "", "it has %s instead of %d", resolve.Count(len(slots), "result"), want)
		return out, false
	}
	last := slots[want-1]
	if !resolve.IsError(last.Type) {
		if s.Defined(last.Expr, last.Type, "the result") {
			s.Wrong(last.Expr.Pos(), "", "its last result is %s instead of error", s.Display(last.Type))
		}
		return out, false
	}
	return slots[0], true
}
