package resolve

import (
	"go/ast"
	"go/types"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
)

// Func returns the function or method that a directive stands on; nil when nothing can refer to it, which is reported.
func (r *Resolver) Func(p directive.Placed) *types.Func {
	fn, _ := r.Package.Info.Defs[p.Func.Name].(*types.Func)
	if fn == nil || !r.nameable(p, p.Func.Name) {
		return nil
	}
	return fn
}

// nameable refuses the declarations that nothing can refer to.
func (r *Resolver) nameable(p directive.Placed, name *ast.Ident) bool {
	switch {
	case name.Name == "_":
		r.Add(name.Pos(), "unusable-name", "give it a name", "//idem:%s stands on a blank declaration, which generated code cannot refer to", p.Spec.Name)
	case p.Func != nil && p.Func.Recv == nil && (name.Name == "init" || name.Name == "main" && r.Package.Name == "main"):
		r.Add(name.Pos(), "unusable-name", "move it into a function of its own", "//idem:%s stands on func %s, which only Go itself calls", p.Spec.Name, name.Name)
	default:
		return true
	}
	return false
}

// Receiver resolves a method's receiver; nil for a function.
func (r *Resolver) Receiver(decl *ast.FuncDecl, fn *types.Func) (*model.Recv, bool) {
	recv := fn.Signature().Recv()
	if decl.Recv == nil || recv == nil {
		return nil, true
	}
	t, pointer := types.Unalias(recv.Type()), false
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	named, ok := t.(*types.Named)
	switch {
	case !ok:
		r.Undefined(decl.Recv.List[0].Type, "the receiver")
		return nil, false
	case named.TypeParams().Len() > 0 || named.TypeArgs().Len() > 0:
		r.Add(decl.Recv.List[0].Type.Pos(), "generic-receiver", "put the method on a type without type parameters, or write a function that calls it",
			"%s is a method of the generic type %s", decl.Name.Name, named.Obj().Name())
		return nil, false
	}
	return &model.Recv{Type: named.Obj().Name(), Pointer: pointer}, true
}
