package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idem-go/idem/lint/internal/known"
)

// A unit is a function with all its closures. They are evaluated together, because they share
// variables.
type unit struct {
	p        *Package
	root     *ssa.Function
	funcs    []*ssa.Function
	values   map[ssa.Value]*Value
	cells    map[cell]*Value             // what is read: the stores of the pass before
	next     map[cell]*Value             // what is written in this pass
	first    bool                        // the first pass reads what it has just written
	paths    map[ssa.Value][]string      // of the cells, by root
	pointers map[cell]ssa.Value          // the one pointer stored in a cell; nil when there are several
	stored   map[cell][]ssa.Value        // all that is stored in a cell
	bindings map[*ssa.FreeVar]ssa.Value  // what a closure captures
	args     map[*ssa.Parameter]*Value   // of closures that the unit itself calls
	elements map[*ssa.Parameter]ast.Node // of the bodies of range-over-func loops: their loops
	returns  map[*ssa.Function][]*Value
	sorted   map[ssa.Value]bool // slices that are sorted somewhere
	counters map[ssa.Value]Origin
	exprs    map[ast.Expr]ssa.Value
	changed  bool
	calls    map[token.Pos]ssa.CallInstruction
	keys     []*Sink // found by sinks
	searched bool
}

// cell is a place in memory: a variable or what a pointer points to, and the fields and elements below it.
type cell struct {
	root ssa.Value
	path string
}

// maxPasses bounds the evaluation of a unit.
const maxPasses = 8

func (p *Package) newUnit(root *ssa.Function) *unit {
	u := &unit{
		p: p, root: root, values: map[ssa.Value]*Value{}, next: map[cell]*Value{}, first: true,
		paths: map[ssa.Value][]string{}, pointers: map[cell]ssa.Value{}, stored: map[cell][]ssa.Value{},
		bindings: map[*ssa.FreeVar]ssa.Value{}, args: map[*ssa.Parameter]*Value{}, elements: map[*ssa.Parameter]ast.Node{},
		returns: map[*ssa.Function][]*Value{}, sorted: map[ssa.Value]bool{}, counters: map[ssa.Value]Origin{},
		exprs: map[ast.Expr]ssa.Value{},
	}
	u.cells = u.next
	u.collect(root)
	return u
}

// collect finds the closures and what they capture, which value each expression has, and which slices
// are sorted.
func (u *unit) collect(fn *ssa.Function) {
	u.funcs = append(u.funcs, fn)
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.MakeClosure:
				for i, free := range instr.Fn.(*ssa.Function).FreeVars {
					u.bindings[free] = instr.Bindings[i]
				}
			case *ssa.DebugRef:
				if _, ok := instr.Expr.(*ast.FuncLit); !ok {
					u.exprs[instr.Expr] = instr.X
				}
				u.markCounter(instr)
			case *ssa.Call:
				if u.p.known(known.Sort, u.p.callee(&instr.Call)) != nil && len(instr.Call.Args) > 0 {
					u.markSorted(unwrap(instr.Call.Args[0]))
				}
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		u.collect(anon)
	}
}

// markSorted notes a slice that is sorted, or the variable that it is in.
func (u *unit) markSorted(v ssa.Value) {
	u.sorted[v] = true
	if load, ok := v.(*ssa.UnOp); ok && isLoad(load) {
		u.sorted[load.X] = true
	}
}

// markCounter notes the values of a retry loop's counter.
func (u *unit) markCounter(ref *ssa.DebugRef) {
	id, ok := ref.Expr.(*ast.Ident)
	if !ok || ref.IsAddr {
		return
	}
	obj := u.p.pass.TypesInfo.ObjectOf(id)
	for _, l := range u.p.loops {
		if l.counters[obj] && l.Pos <= id.Pos() && id.Pos() < l.End {
			if _, constant := ref.X.(*ssa.Const); !constant {
				u.counters[ref.X] = Origin{Kind: Attempt, What: "the retry loop's counter " + id.Name, Pos: id.Pos()}
			}
		}
	}
}

// unwrap steps out of conversions.
func unwrap(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.Convert:
			v = x.X
		default:
			return v
		}
	}
}

// evaluate runs until nothing changes.
func (u *unit) evaluate() {
	for pass := range maxPasses {
		u.changed = false
		for _, fn := range u.funcs {
			u.function(fn)
		}
		if !u.first && !u.sameCells() {
			u.changed = true
		}
		if !u.changed && pass > 0 {
			return
		}
		u.cells, u.next, u.first = u.next, map[cell]*Value{}, false
	}
}

func (u *unit) sameCells() bool {
	if len(u.cells) != len(u.next) {
		return false
	}
	for c, v := range u.next {
		if !equal(v, u.cells[c]) {
			return false
		}
	}
	return true
}

func (u *unit) function(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				u.store(instr.Addr, instr.Val)
			case *ssa.MapUpdate:
				root, path := u.resolve(instr.Map)
				u.write(cell{root, path + index(instr.Key)}, u.value(instr.Value).without(isOrder))
			case *ssa.Return:
				u.result(fn, instr)
			case ssa.Value:
				u.set(instr, u.instruction(instr))
			}
		}
	}
}

func (u *unit) set(v ssa.Value, new *Value) {
	if o, ok := u.counters[v]; ok {
		new = opaque(o)
	}
	if u.sorted[v] {
		new = new.without(isOrder)
	}
	if old := u.values[v]; !equal(old, new) {
		u.values[v] = new
		u.changed = true
	}
}

func (u *unit) result(fn *ssa.Function, r *ssa.Return) {
	results := u.returns[fn]
	if results == nil {
		results = make([]*Value, len(r.Results))
		u.returns[fn] = results
	}
	for i, v := range r.Results {
		if c, ok := v.(*ssa.Const); ok && (c.IsNil() || isZero(c)) && len(r.Results) > 1 {
			continue // what is returned beside an error
		}
		joined := join(results[i], u.value(v))
		if !equal(joined, results[i]) {
			results[i] = joined
			u.changed = true
		}
	}
}

func isZero(c *ssa.Const) bool {
	return c.Value == nil || c.Value.ExactString() == `""` || c.Value.ExactString() == "0"
}

// value returns what is known of a value now.
func (u *unit) value(v ssa.Value) *Value {
	switch v := v.(type) {
	case *ssa.Const:
		return constantOf(v.Value)
	case *ssa.Parameter:
		return u.parameter(v)
	case *ssa.FreeVar:
		if bound := u.bindings[v]; bound != nil {
			return u.value(bound)
		}
		return unknown
	case *ssa.Function, *ssa.Builtin, *ssa.MakeClosure:
		return nil
	case *ssa.Global, *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
		return u.load(v)
	}
	return u.values[v]
}

func (u *unit) parameter(v *ssa.Parameter) *Value {
	fn := v.Parent()
	if loop, ok := u.elements[v]; ok {
		return opaque(Origin{Kind: element, What: "the order of iteration", Pos: loop.Pos(), End: loop.End()})
	}
	if fn != u.root {
		if a := u.args[v]; a != nil {
			return a
		}
		return unknown
	}
	if isContext(v.Type()) {
		return unknown
	}
	if a := u.p.named(v.Name(), v.Type(), v.Pos()); a != nil {
		return a
	}
	for i, q := range fn.Params {
		if q == v {
			return opaque(Origin{Kind: param, Param: i})
		}
	}
	return unknown
}

func isContext(t types.Type) bool {
	named := known.Named(t)
	return named != nil && known.OfType(named) == "context.Context"
}

// within reports whether a place is inside a range of the source.
func within(pos, start, end token.Pos) bool { return start <= pos && pos < end }
