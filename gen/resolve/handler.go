package resolve

import (
	"go/ast"
	"go/types"
	"time"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
)

// handler resolves an action or a step.
func (r *resolver) handler(p directive.Placed) {
	fn, _ := r.pkg.Info.Defs[p.Func.Name].(*types.Func)
	if fn == nil || !r.nameable(p, p.Func.Name) {
		return
	}
	h := model.Handler{
		Kind:   model.HandlerKind(p.Spec.Name),
		Func:   p.Func.Name.Name,
		Limits: limits(p.Directive),
		Doc:    synopsis(p.Doc, p.Func.Name.Name),
		Pos:    r.prog.Position(p.Pos),
	}
	var recvOK bool
	h.Recv, recvOK = r.receiver(p.Func, fn)
	signatureOK := r.signature(p.Func, fn, &h)
	if !recvOK || !signatureOK || p.Node == nil {
		return
	}
	h.Name = p.Node.Value.(string)
	r.names.claim(p.Pos, "//idem:"+p.Spec.Name+" on "+h.Selector(), h.GeneratedNames())
	r.test(p, fn, &h)
	r.model.Handlers = append(r.model.Handlers, h)
}

func limits(d *directive.Directive) model.Limits {
	l := model.Limits{
		Timeout:     directive.Value[time.Duration](d, "timeout"),
		MaxAttempts: directive.Value[int](d, "max_attempts"),
		Backoff:     directive.Value[time.Duration](d, "backoff"),
		MaxInput:    directive.Value[int64](d, "max_input"),
		MaxOutput:   directive.Value[int64](d, "max_output"),
		Queue:       directive.Value[string](d, "queue"),
	}
	if d.Arg("max_reclaims") != nil {
		l.MaxReclaims = new(directive.Value[int](d, "max_reclaims"))
	}
	return l
}

// nameable refuses the declarations that nothing can refer to.
func (r *resolver) nameable(p directive.Placed, name *ast.Ident) bool {
	switch {
	case name.Name == "_":
		r.add(name.Pos(), "unusable-name", "give it a name", "//idem:%s stands on a blank declaration, which generated code cannot refer to", p.Spec.Name)
	case p.Func != nil && p.Func.Recv == nil && (name.Name == "init" || name.Name == "main" && r.pkg.Name == "main"):
		r.add(name.Pos(), "unusable-name", "move it into a function of its own", "//idem:%s stands on func %s, which only Go itself calls", p.Spec.Name, name.Name)
	default:
		return true
	}
	return false
}

// receiver resolves a method's receiver; nil for a function.
func (r *resolver) receiver(decl *ast.FuncDecl, fn *types.Func) (*model.Recv, bool) {
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
		r.undefined(decl.Recv.List[0].Type, "the receiver")
		return nil, false
	case named.TypeParams().Len() > 0 || named.TypeArgs().Len() > 0:
		r.add(decl.Recv.List[0].Type.Pos(), "generic-receiver", "put the method on a type without type parameters, or write a function that calls it",
			"%s is a method of the generic type %s", decl.Name.Name, named.Obj().Name())
		return nil, false
	}
	return &model.Recv{Type: named.Obj().Name(), Pointer: pointer}, true
}
