package handler

import (
	"go/types"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
)

// fixture is the function that fixture= names.
type fixture struct {
	name  string // empty without
	input bool   // it gives the handler's input, last
}

// fixture finds the function among those of the package and of its tests.
func (r resolver) fixture(p directive.Placed, h *Handler) (f fixture, ok bool) {
	arg := p.Arg("fixture")
	if arg == nil {
		return fixture{}, true
	}
	f.name = arg.Value.(string)
	switch obj := r.WithTests().Scope().Lookup(f.name).(type) {
	case *types.Func:
		if !r.Package.Tested {
			return f, true // without tests the package that fixtures speak of is not loaded
		}
		if f.input, ok = r.fixtureSignature(obj.Signature(), h); !ok {
			r.Add(arg.ValuePos, "bad-fixture", "write "+r.fixtureForm(f.name, h), "fixture %s is %s", f.name, r.Display(obj.Signature()))
		}
		return f, ok
	case nil:
		r.Add(arg.ValuePos, "bad-fixture", "write "+r.fixtureForm(f.name, h), "neither the package nor its tests have a function %s", f.name)
	default:
		r.Add(arg.ValuePos, "bad-fixture", "name a function", "%s is no function, see %s", f.name, r.Program.Position(obj.Pos()))
	}
	return f, false
}

// fixtureForm is how the fixture of a handler may be declared. An input is made up where it gives none.
func (r resolver) fixtureForm(name string, h *Handler) string {
	in := r.Display(r.inputOf(h))
	if h.Recv == nil {
		return "func " + name + "(f *faulttest.F) " + in
	}
	return "func " + name + "(f *faulttest.F) (" + h.Recv.String() + ", " + in + ")"
}

// fixtureSignature checks for a function of a *faulttest.F that gives what its kind of handler needs: the receiver
// of a method, then the input or nothing.
func (r resolver) fixtureSignature(sig *types.Signature, h *Handler) (input, ok bool) {
	if sig.TypeParams().Len() > 0 || sig.Variadic() || sig.Params().Len() != 1 || !isFaultTestF(sig.Params().At(0).Type()) {
		return false, false
	}
	var results []types.Type
	for v := range sig.Results().Variables() {
		results = append(results, v.Type())
	}
	if h.Recv != nil {
		if len(results) == 0 || !isReceiver(results[0], *h.Recv) {
			return false, false
		}
		results = results[1:]
	}
	switch len(results) {
	case 0:
		return false, true
	case 1:
		in := r.inputOf(h)
		return true, resolve.IsInvalid(results[0]) || in == nil || types.Identical(results[0], in)
	}
	return false, false
}

// isFaultTestF also takes what could not be loaded for it.
func isFaultTestF(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && (resolve.IsNamed(p.Elem(), model.FaultTestPath, "F") || resolve.IsInvalid(p.Elem()))
}

// isReceiver reports whether the method can be called on a value of the type.
func isReceiver(t types.Type, recv model.Recv) bool {
	t = types.Unalias(t)
	p, pointer := t.(*types.Pointer)
	if pointer {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	return resolve.IsInvalid(t) || ok && named.Obj().Name() == recv.Type && (pointer || !recv.Pointer)
}

// inputOf returns the handler's input as the package with its tests has it: types are the same only within one check.
func (r resolver) inputOf(h *Handler) types.Type {
	scope := r.WithTests().Scope()
	obj := scope.Lookup(h.Func)
	if h.Recv != nil {
		recv := scope.Lookup(h.Recv.Type)
		if recv == nil {
			return nil
		}
		obj, _, _ = types.LookupFieldOrMethod(recv.Type(), true, r.WithTests(), h.Func)
	}
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Params().Len() != 2 {
		return nil
	}
	return fn.Signature().Params().At(1).Type()
}
