package resolve

import (
	"go/types"

	"github.com/idem-go/idem/gen/model"
)

// Payload resolves a handler's input or output: a type that generated code can write, and that
// comes back from JSON as it went in.
func (r *Resolver) Payload(s Slot, what string) (model.Type, bool) {
	if !r.Defined(s.Expr, s.Type, "the "+what) {
		return model.Type{}, false
	}
	expr, hidden := r.TypeExpr(s.Type)
	for _, name := range hidden {
		r.Add(s.Expr.Pos(), "hidden-type", "export it, or define a type in this package", "the %s uses %s.%s, which only its own package can name", what, name.Pkg().Name(), name.Name())
	}
	before := len(r.list)
	r.CheckJSON(s.Type, "the "+what, "bad-payload", s.Expr.Pos())
	return expr, len(hidden) == 0 && len(r.list) == before
}

// hasMethods reports whether a type, or a pointer to it, has all of the methods named.
func hasMethods(t types.Type, names ...string) bool {
	if _, ok := t.Underlying().(*types.Interface); ok {
		return false
	}
	for _, name := range names {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		if _, ok := obj.(*types.Func); !ok {
			return false
		}
	}
	return true
}
