package resolve

import (
	"go/types"

	"github.com/idem-go/idem/gen/model"
)

// TypeExpr writes a type for generated code, and returns the types in it that only their own package can
// name.
func (r *Resolver) TypeExpr(t types.Type) (expr model.Type, hidden []*types.TypeName) {
	expr.Imports = map[string]string{}
	expr.Expr = types.TypeString(t, func(p *types.Package) string {
		if p.Path() == r.Package.Path {
			return ""
		}
		expr.Imports[p.Path()] = p.Name()
		return "${" + p.Path() + "}"
	})
	if len(expr.Imports) == 0 {
		expr.Imports = nil
	}
	return expr, r.hidden(t)
}

// Display writes a type for people: qualified by package names.
func (r *Resolver) Display(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == r.Package.Path {
			return ""
		}
		return p.Name()
	})
}

// hidden finds the names that a type is written with and that generated code could not write.
func (r *Resolver) hidden(t types.Type) []*types.TypeName {
	var found []*types.TypeName
	named := func(obj *types.TypeName, args *types.TypeList) {
		if obj.Pkg() != nil && obj.Pkg().Path() != r.Package.Path && !obj.Exported() {
			found = append(found, obj)
		}
		for arg := range args.Types() {
			found = append(found, r.hidden(arg)...)
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		named(t.Obj(), t.TypeArgs())
	case *types.Named:
		named(t.Obj(), t.TypeArgs())
	case *types.Pointer:
		return r.hidden(t.Elem())
	case *types.Slice:
		return r.hidden(t.Elem())
	case *types.Array:
		return r.hidden(t.Elem())
	case *types.Map:
		return append(r.hidden(t.Key()), r.hidden(t.Elem())...)
	case *types.Struct:
		for f := range t.Fields() {
			found = append(found, r.hidden(f.Type())...)
		}
	}
	return found
}
