package resolve

import "github.com/idem-go/idem/gen/model"

// Payload resolves a handler's input or output: a type that generated code can write, and that
// comes back from JSON as it went in. A request does not come back; it only has to be written in full.
func (r *Resolver) Payload(s Slot, what string) (model.Type, bool) {
	if !r.Defined(s.Expr, s.Type, "the "+what) {
		return model.Type{}, false
	}
	expr, hidden := r.TypeExpr(s.Type)
	for _, name := range hidden {
		r.Add(s.Expr.Pos(), "hidden-type", "export it, or define a type in this package", "the %s uses %s.%s, which only its own package can name", what, name.Pkg().Name(), name.Name())
	}
	before := len(r.list)
	r.CheckJSON(JSONUse{What: "the " + what, Code: "bad-payload", Pos: s.Expr.Pos(), OneWay: what == "request"}, s.Type)
	return expr, len(hidden) == 0 && len(r.list) == before
}
