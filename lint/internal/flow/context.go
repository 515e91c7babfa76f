package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/idem-go/idem/lint/internal/known"
)

// Region is a piece of source that runs again: a handler, a function given to a retry library, the body
// of a retry loop, and the functions that these call.
type Region struct {
	Pos, End token.Pos
	Why      string
	Idem     bool     // a handler of idem
	Context  string   // the name of its runtime.Context, if it is a handler of idem
	Node     ast.Node // the function, or the loop
	counters map[types.Object]bool
}

func (r *Region) holds(pos token.Pos) bool { return within(pos, r.Pos, r.End) }

// Again returns the innermost region that holds a place, or nil where code runs once.
func (p *Package) Again(pos token.Pos) *Region {
	return p.region(pos, func(*Region) bool { return true })
}

// Handler returns the handler of idem around a place, or nil.
func (p *Package) Handler(pos token.Pos) *Region {
	return p.region(pos, func(r *Region) bool { return r.Idem })
}

// AgainFrom returns the innermost region that holds both places, or nil.
func (p *Package) AgainFrom(a, b token.Pos) *Region {
	return p.region(a, func(r *Region) bool { return r.holds(b) })
}

func (p *Package) region(pos token.Pos, ok func(*Region) bool) *Region {
	var best *Region
	for _, r := range p.regions {
		if r.holds(pos) && ok(r) && (best == nil || r.End-r.Pos < best.End-best.Pos) {
			best = r
		}
	}
	return best
}

// findRegions finds what runs again by itself, and then what that calls.
func (p *Package) findRegions() {
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if sig, ok := p.signature(n.Name); ok && n.Body != nil {
					p.function(n, n.Type, sig, n.Body)
				}
			case *ast.FuncLit:
				if sig, ok := p.pass.TypesInfo.TypeOf(n).(*types.Signature); ok {
					p.function(n, n.Type, sig, n.Body)
				}
			case *ast.CallExpr:
				p.given(n)
			case *ast.ForStmt:
				p.loop(n, n.Body, p.retryLoop(n))
			case *ast.RangeStmt:
				p.loop(n, n.Body, p.retryRange(n))
			}
			return true
		})
	}
	p.reach()
}

func (p *Package) signature(name *ast.Ident) (*types.Signature, bool) {
	f, ok := p.pass.TypesInfo.Defs[name].(*types.Func)
	if !ok {
		return nil, false
	}
	return f.Signature(), true
}

func (p *Package) add(r *Region) {
	if !slices.ContainsFunc(p.regions, func(q *Region) bool { return q.Pos == r.Pos && q.End == r.End && q.Idem == r.Idem }) {
		p.regions = append(p.regions, r)
	}
}

// function adds a function that its parameters, or its calls, show to be a handler.
func (p *Package) function(n ast.Node, typ *ast.FuncType, sig *types.Signature, body *ast.BlockStmt) {
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		e := p.knownType(known.Handler, v.Type())
		if e == nil || !hasForm(e.Text("form"), n, sig, i) {
			continue
		}
		r := &Region{Pos: n.Pos(), End: n.End(), Node: n, Why: "the handler takes a " + short(e.Symbol)}
		if IsRuntimeContext(v.Type()) {
			r.Idem, r.Context = true, v.Name()
		}
		p.add(r)
		return
	}
	ast.Inspect(body, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if f, _ := typeutil.Callee(p.pass.TypesInfo, m).(*types.Func); f != nil {
				if e := p.known(known.Repeats, f); e != nil {
					p.add(&Region{Pos: n.Pos(), End: n.End(), Node: n, Why: "it calls " + short(e.Symbol)})
				}
			}
		}
		return true
	})
}

// hasForm tells a handler from other functions whose parameter i is of the same type.
func hasForm(form string, n ast.Node, sig *types.Signature, i int) bool {
	params, results := sig.Params(), sig.Results()
	fails := results.Len() > 0 && isError(results.At(results.Len()-1).Type())
	switch form {
	case "task":
		return fails && params.Len() == 2 && results.Len() == 1 && i == 1 && isContext(params.At(0).Type())
	case "workflow":
		return fails && params.Len() == 2 && results.Len() == 2 && i == 0
	case "consumer":
		return fails && params.Len() == 1
	case "message":
		decl, ok := n.(*ast.FuncDecl)
		return !ok || !publishes(decl.Name.Name)
	}
	return true
}

// publishes reports whether a function sends what it is given, by its name.
func publishes(name string) bool {
	name = strings.ToLower(name)
	for _, prefix := range []string{"publish", "produce", "emit", "enqueue", "write", "send", "new", "to"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// IsRuntimeContext reports whether a type is idem's Context.
func IsRuntimeContext(t types.Type) bool {
	named := known.Named(t)
	return named != nil && known.OfType(named) == "github.com/idem-go/idem/runtime.Context"
}

// given adds the functions that are given to what calls them again and again.
func (p *Package) given(call *ast.CallExpr) {
	f, _ := typeutil.Callee(p.pass.TypesInfo, call).(*types.Func)
	e := p.known(known.Repeated, f)
	if e == nil {
		return
	}
	arg := p.functionArg(call, e.Int("arg", 0))
	if arg == nil {
		return
	}
	why := "it is given to " + short(e.Symbol)
	if lit, ok := arg.(*ast.FuncLit); ok {
		p.add(&Region{Pos: lit.Pos(), End: lit.End(), Node: lit, Why: why})
		return
	}
	if decl := p.declared(arg); decl != nil {
		p.add(&Region{Pos: decl.Pos(), End: decl.End(), Node: decl, Why: why})
		return
	}
	for _, decl := range p.methodsOf(arg) {
		p.add(&Region{Pos: decl.Pos(), End: decl.End(), Node: decl, Why: why})
	}
}

// functionArg returns argument i of a call if it is a function or something that is registered. The versions
// of a library may have it in another place: then it gives the first function among the arguments.
func (p *Package) functionArg(call *ast.CallExpr, i int) ast.Expr {
	isFunction := func(e ast.Expr) bool {
		t := p.pass.TypesInfo.TypeOf(e)
		if t == nil {
			return false
		}
		_, ok := t.Underlying().(*types.Signature)
		return ok
	}
	if i < len(call.Args) && (isFunction(call.Args[i]) || len(call.Args) == 1) {
		return ast.Unparen(call.Args[i])
	}
	for _, arg := range call.Args {
		if isFunction(arg) {
			return ast.Unparen(arg)
		}
	}
	if i < len(call.Args) {
		return ast.Unparen(call.Args[i])
	}
	return nil
}

// declared finds the declaration that a function's or method's name stands for.
func (p *Package) declared(e ast.Expr) *ast.FuncDecl {
	var id *ast.Ident
	switch e := e.(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return nil
	}
	f, _ := p.pass.TypesInfo.Uses[id].(*types.Func)
	if f == nil {
		return nil
	}
	return p.syntax[f.Origin()]
}

// methodsOf returns the exported methods of a struct that is registered as a whole.
func (p *Package) methodsOf(e ast.Expr) []*ast.FuncDecl {
	named := known.Named(p.pass.TypesInfo.TypeOf(e))
	if named == nil || named.Obj().Pkg() != p.pass.Pkg {
		return nil
	}
	var list []*ast.FuncDecl
	for m := range named.Methods() {
		if decl := p.syntax[m.Origin()]; decl != nil && m.Exported() && m.Signature().Params().Len() > 0 && isContext(m.Signature().Params().At(0).Type()) {
			list = append(list, decl)
		}
	}
	return list
}

func (p *Package) loop(n ast.Node, body *ast.BlockStmt, r *Region) {
	if r == nil {
		return
	}
	r.Pos, r.End, r.Node, r.Why = body.Pos(), body.End(), n, "the loop leaves on the first success, so it is a retry"
	p.add(r)
	p.loops = append(p.loops, &Region{Pos: n.Pos(), End: n.End(), counters: r.counters})
}

// reach adds the functions of the package that regions call.
func (p *Package) reach() {
	for i := 0; i < len(p.regions); i++ {
		r := p.regions[i]
		body := r.Node
		ast.Inspect(body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !r.holds(call.Pos()) {
				return true
			}
			f, _ := typeutil.Callee(p.pass.TypesInfo, call).(*types.Func)
			if f == nil {
				return true
			}
			if decl := p.syntax[f.Origin()]; decl != nil && p.Again(decl.Name.Pos()) == nil {
				p.add(&Region{Pos: decl.Pos(), End: decl.End(), Node: decl, Why: "it is called where " + r.Why})
			}
			return true
		})
	}
}
