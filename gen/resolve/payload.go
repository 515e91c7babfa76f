package resolve

import (
	"go/types"

	"github.com/idem-go/idem/gen/model"
)

// payloadType resolves a handler's input or output: a type that generated code can write, and that
// comes back from JSON as it went in.
func (r *resolver) payloadType(s slot, what string) (model.Type, bool) {
	if !r.defined(s.expr, s.typ, "the "+what) {
		return model.Type{}, false
	}
	expr, hidden := r.typeExpr(s.typ)
	for _, name := range hidden {
		r.add(s.expr.Pos(), "hidden-type", "export it, or define a type in this package", "the %s uses %s.%s, which only its own package can name", what, name.Pkg().Name(), name.Name())
	}
	before := len(r.list)
	j := jsonCheck{r: r, pos: s.expr.Pos(), code: "bad-payload", seen: map[types.Type]bool{}}
	j.check(s.typ, "the "+what, s.expr.Pos())
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
