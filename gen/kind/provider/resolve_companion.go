package provider

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
)

// companion finds the function that lookup= or undo= names, and checks its Form: a function of the package or, where
// the provider is a method, one of the same receiver. It returns nil without one.
func (r resolver) companion(arg *directive.Arg, v Provider, f form) *Companion {
	if arg == nil {
		return nil
	}
	name := arg.Value.(string)
	candidates := r.companions(v.Recv)
	decl := candidates[name]
	if decl == nil {
		r.noCompanion(arg, v, f, candidates)
		return nil
	}
	s := signature{resolve.Signature{Resolver: r.Resolver, Decl: decl, Form: f.text, Role: ", the " + arg.Param.Name + " of " + v.Selector()}}
	if fn, ok := r.Package.Info.Defs[decl.Name].(*types.Func); !ok || !s.follows(f, fn) {
		return nil
	}
	return &Companion{Func: name, Method: decl.Recv != nil}
}

// companions returns what lookup= and undo= can name, by name. A method is nearer than a function.
func (r resolver) companions(recv *model.Recv) map[string]*ast.FuncDecl {
	found := map[string]*ast.FuncDecl{}
	for _, file := range r.Package.Syntax {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			isMethod := decl.Recv != nil
			if isMethod && !r.isMethodOf(decl, recv) || !isMethod && found[decl.Name.Name] != nil {
				continue
			}
			found[decl.Name.Name] = decl
		}
	}
	return found
}

func (r resolver) isMethodOf(decl *ast.FuncDecl, recv *model.Recv) bool {
	fn, ok := r.Package.Info.Defs[decl.Name].(*types.Func)
	if !ok || recv == nil || fn.Signature().Recv() == nil {
		return false
	}
	t := types.Unalias(fn.Signature().Recv().Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == recv.Type
}

// noCompanion reports that there is no such function, and what may be meant.
func (r resolver) noCompanion(arg *directive.Arg, v Provider, f form, candidates map[string]*ast.FuncDecl) {
	name := arg.Text
	if obj := r.Package.Types.Scope().Lookup(name); obj != nil {
		r.Add(arg.ValuePos, "unknown-function", "name a function", "%s: %s is no function, see %s", arg.Param.Name, name, r.Program.Position(obj.Pos()))
		return
	}
	where, recv := "the package has no function", ""
	if v.Recv != nil {
		where, recv = "neither "+v.Recv.Type+" nor the package has a function", "("+v.Recv.String()+") "
	}
	fix := diag.DidYouMean(diag.Suggest(name, r.fitting(candidates, f)))
	if fix == "" {
		fix = "write func " + recv + name + strings.TrimPrefix(f.text, "func")
	}
	r.Add(arg.ValuePos, "unknown-function", fix, "%s: %s %s", arg.Param.Name, where, name)
}

// fitting returns the names of the candidates that have the form, sorted.
func (r resolver) fitting(candidates map[string]*ast.FuncDecl, f form) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(candidates)) {
		if fn, ok := r.Package.Info.Defs[candidates[name].Name].(*types.Func); ok && f.fits(fn.Signature()) {
			names = append(names, name)
		}
	}
	return names
}
