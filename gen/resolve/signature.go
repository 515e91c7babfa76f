package resolve

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/idem-go/idem/gen/load"
	"github.com/idem-go/idem/gen/model"
)

// signature checks the parameters and results of a handler, says what exactly differs from the form,
// and resolves In and Out.
func (r *resolver) signature(decl *ast.FuncDecl, fn *types.Func, h *model.Handler) bool {
	if params := decl.Type.TypeParams; params != nil {
		r.add(params.Opening, "generic-handler", "write a function for each type that calls it", "%s has type parameters", fn.Name())
		return false
	}
	s := signature{resolver: r, decl: decl, form: "func(runtime.Context, In) error"}
	if h.Kind == model.Step {
		s.form = "func(runtime.Context, In) (Out, error)"
	}
	in, inOK := s.params(fn.Signature())
	out, outOK := s.results(fn.Signature(), h.Kind)
	if !inOK || !outOK {
		return false
	}
	var ok bool
	if h.In, ok = r.payloadType(in, "input"); !ok {
		inOK = false
	}
	if h.Kind == model.Step {
		t, ok := r.payloadType(out, "output")
		h.Out, outOK = &t, ok
	}
	return inOK && outOK
}

type signature struct {
	*resolver
	decl *ast.FuncDecl
	form string
	role string // what the function is to another declaration, as people say it; empty for one with a directive
}

// who names the function.
func (s *signature) who() string { return s.decl.Name.Name + s.role }

// slot is one parameter or result: its type, and the type's syntax.
type slot struct {
	expr ast.Expr
	typ  types.Type
}

func (s *signature) wrong(pos token.Pos, fix, format string, args ...any) {
	if fix == "" {
		fix = "write " + s.form
	}
	s.add(pos, "signature", fix, "%s: "+format, append([]any{s.who()}, args...)...)
}

// params checks for exactly a runtime.Context and an input, and gives the input.
func (s *signature) params(sig *types.Signature) (in slot, ok bool) {
	slots := slotsOf(s.decl.Type.Params, sig.Params())
	ok = true
	switch {
	case len(slots) == 0:
		s.wrong(s.decl.Type.Params.Pos(), "", "it has no parameters")
		return in, false
	case len(slots) > 2:
		s.wrong(slots[2].expr.Pos(), "put what the handler needs into In, or into the receiver of a method", "it has %d parameters instead of 2", len(slots))
		ok = false
	case sig.Variadic():
		s.wrong(slots[len(slots)-1].expr.Pos(), "take a slice inside In", "its last parameter is variadic")
		ok = false
	}
	ok = s.context(slots[0]) && ok
	if len(slots) == 1 {
		s.wrong(s.decl.Type.Params.Closing, "", "it has no input")
		return in, false
	}
	return slots[1], ok
}

func (s *signature) context(first slot) bool {
	if isNamed(first.typ, load.RuntimePath, "Context") {
		return true
	}
	if !s.defined(first.expr, first.typ, "the first parameter") {
		return false
	}
	s.wrong(first.expr.Pos(), "make it runtime.Context of "+load.RuntimePath, "its first parameter is %s", s.display(first.typ))
	return false
}

// results checks for an error, and for an output before it where the kind has one.
func (s *signature) results(sig *types.Signature, kind model.HandlerKind) (out slot, ok bool) {
	slots := slotsOf(s.decl.Type.Results, sig.Results())
	want := 1
	if kind == model.Step {
		want = 2
	}
	switch {
	case len(slots) == 0:
		s.wrong(s.decl.Name.Pos(), "", "it returns nothing")
		return out, false
	case kind == model.Action && len(slots) == 2 && isError(slots[1].typ):
		s.wrong(slots[0].expr.Pos(), "did you mean //idem:step?", "an action has no output")
		return out, false
	case kind == model.Step && len(slots) == 1 && isError(slots[0].typ):
		s.wrong(slots[0].expr.Pos(), "did you mean //idem:action?", "a step has an output")
		return out, false
	case len(slots) != want:
		s.wrong(slots[0].expr.Pos(), "", "it has %s instead of %d", count(len(slots), "result"), want)
		return out, false
	}
	last := slots[want-1]
	if !isError(last.typ) {
		if s.defined(last.expr, last.typ, "the result") {
			s.wrong(last.expr.Pos(), "", "its last result is %s instead of error", s.display(last.typ))
		}
		return out, false
	}
	return slots[0], true
}

// slotsOf pairs each variable of a tuple with the syntax of its type.
func slotsOf(list *ast.FieldList, tuple *types.Tuple) []slot {
	var slots []slot
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for range max(len(field.Names), 1) {
			if len(slots) < tuple.Len() {
				slots = append(slots, slot{field.Type, tuple.At(len(slots)).Type()})
			}
		}
	}
	return slots
}

func isNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
