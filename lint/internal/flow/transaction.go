package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/idem-go/idem/lint/internal/known"
)

// Call is something that must not be done while a transaction is open: a call over the network, a wait,
// the begin of another transaction, the end of one that is not the caller's to end.
type Call struct {
	Syntax ast.Node
	Pos    token.Pos
	Effect known.Kind // Network, Wait, Begin or End
	What   string
	Open   *Open // the transaction that is open there, or nil
	Own    bool  // of Begin: it begins within the transaction at hand, by a savepoint
}

// Open is a transaction that is open at some place.
type Open struct {
	Completion bool
	Pos        token.Pos // where it was begun, or where its first statement is
}

// opens is a state: the transactions that are open on some way to a place.
type opens map[ssa.Value]*Open

// completion stands for the completion transaction in a state.
var completion ssa.Value = &ssa.Const{}

// transactions follows the transactions of each function of the unit.
func (u *unit) transactions() {
	for _, fn := range u.funcs {
		if u.touches(fn) {
			u.flowOf(fn)
		}
		u.escapes(fn)
	}
}

// touches reports whether a function has to do with transactions at all.
func (u *unit) touches(fn *ssa.Function) bool {
	if fn.Blocks != nil && u.withinOf(fn) != nil {
		return true
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			f := u.p.callee(&call.Call)
			if f == nil && functionOf(call.Call.Value) == nil {
				continue
			}
			if s := u.effectOf(call, f); s.Begins+s.PoolWrite != "" || u.executes(call, f) || f != nil && isEnd(f.Name()) {
				return true
			}
		}
	}
	return false
}

// flowOf runs over the blocks of a function until their states do not change, and then notes the calls.
func (u *unit) flowOf(fn *ssa.Function) {
	in := make([]opens, len(fn.Blocks))
	in[0] = u.entry(fn)
	for changed, rounds := true, 0; changed && rounds < 20; rounds++ {
		changed = false
		for _, b := range fn.Blocks {
			if in[b.Index] == nil {
				continue
			}
			out := maps.Clone(in[b.Index])
			for _, instr := range b.Instrs {
				u.step(instr, out)
			}
			for i, succ := range b.Succs {
				if merge(&in[succ.Index], u.edge(b, i, out)) {
					changed = true
				}
			}
		}
	}
	for _, b := range fn.Blocks {
		if in[b.Index] == nil {
			continue
		}
		state := maps.Clone(in[b.Index])
		for _, instr := range b.Instrs {
			u.note(instr, state)
			u.step(instr, state)
		}
	}
}

func merge(to *opens, from opens) bool {
	changed := *to == nil
	if changed {
		*to = opens{}
	}
	for k, o := range from {
		if (*to)[k] == nil {
			(*to)[k] = o
			changed = true
		}
	}
	return changed
}

// entry is the state in which a function begins: one that is given to BeginFunc begins within the
// transaction.
func (u *unit) entry(fn *ssa.Function) opens {
	state := opens{}
	if call := u.withinOf(fn); call != nil {
		state[call] = &Open{Pos: call.Pos()}
		u.p.callbacks[fn] = true
	}
	return state
}

// withinOf returns the call that runs a closure within a new transaction, or nil.
func (u *unit) withinOf(fn *ssa.Function) *ssa.Call {
	if fn.Parent() == nil {
		return nil
	}
	for _, b := range fn.Parent().Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			e := u.p.known(known.Within, u.p.callee(&call.Call))
			if e == nil {
				continue
			}
			for _, arg := range call.Call.Args {
				if functionOf(arg) == fn {
					return call
				}
			}
		}
	}
	return nil
}

// functionOf returns the function that a closure or a function value is, or nil.
func functionOf(v ssa.Value) *ssa.Function {
	switch v := unwrap(v).(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.Function:
		return v
	}
	return nil
}

// edge is the state behind a branch: where Begin failed, nothing is open.
func (u *unit) edge(b *ssa.BasicBlock, i int, state opens) opens {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return state
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.NEQ && cond.Op != token.EQL {
		return state
	}
	failed := (cond.Op == token.NEQ) == (i == 0)
	err, ok := u.origin(cond.X).(*ssa.Extract)
	if !ok || !failed || state[err.Tuple] == nil {
		return state
	}
	state = maps.Clone(state)
	delete(state, err.Tuple)
	return state
}

// key is what a handle is called in a state: the call that began the transaction.
func (u *unit) key(v ssa.Value) ssa.Value {
	v = u.origin(v)
	if x, ok := v.(*ssa.Extract); ok {
		return x.Tuple
	}
	if q, ok := v.(*ssa.Parameter); ok {
		if call := u.withinOf(q.Parent()); call != nil {
			return call
		}
	}
	return v
}

// step changes the state by an instruction.
func (u *unit) step(instr ssa.Instruction, state opens) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	f := u.p.callee(&call.Call)
	switch {
	case f == nil:
	case u.p.known(known.Begin, f) != nil:
		state[call] = &Open{Pos: call.Pos()}
	case u.p.known(known.End, f) != nil:
		delete(state, u.key(operands(&call.Call)[0]))
		return
	case mayEnd(f):
		maps.DeleteFunc(state, func(k ssa.Value, _ *Open) bool { return k != completion })
		return
	}
	if state[completion] == nil && u.executes(call, f) {
		state[completion] = &Open{Completion: true, Pos: call.Pos()}
	}
}

// mayEnd reports whether a function that the table does not know ends a transaction, by its name.
func mayEnd(f *types.Func) bool {
	name := strings.ToLower(f.Name())
	return strings.Contains(name, "commit") || strings.Contains(name, "rollback")
}

// executes reports whether a call runs a statement in the completion transaction.
func (u *unit) executes(call *ssa.Call, f *types.Func) bool {
	if f == nil {
		if fn := functionOf(call.Call.Value); fn != nil {
			return u.effectsOf(fn).Executes != ""
		}
		return false
	}
	if u.p.known(known.Execute, f) != nil {
		return true
	}
	if s := u.p.Summary(f); s != nil && s.Executes != "" {
		return true
	}
	args := operands(&call.Call)
	withContext, withTx := false, false
	for i, arg := range args {
		t := unwrap(arg).Type()
		withContext = withContext || isContext(arg.Type()) || IsRuntimeContext(t)
		withTx = withTx || u.p.execKind(t) == Completion || i == 0 && u.wrapsTx(arg)
	}
	return withContext && withTx
}

// wrapsTx reports whether a value was made from the completion transaction, as sqlc's New does.
func (u *unit) wrapsTx(v ssa.Value) bool {
	call, ok := u.origin(v).(*ssa.Call)
	if !ok {
		return false
	}
	for _, arg := range call.Call.Args {
		if u.p.execKind(unwrap(arg).Type()) == Completion {
			return true
		}
	}
	return false
}

// effectsOf reads the effects of a closure of the unit.
func (u *unit) effectsOf(fn *ssa.Function) *Summary {
	s := &Summary{}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if call, ok := instr.(*ssa.Call); ok {
				if f := u.p.callee(&call.Call); f != nil {
					u.p.effect(s, f)
					if own := u.p.effects[f.Origin()]; own != nil {
						s.inherit(own, f.Name())
					}
				}
			}
		}
	}
	return s
}

// note adds what an instruction does to the package's calls.
func (u *unit) note(instr ssa.Instruction, state opens) {
	switch instr := instr.(type) {
	case *ssa.Call:
		u.noteCall(instr, state)
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			u.noted(&Call{Pos: instr.Pos(), Effect: known.Wait, What: "a receive from a channel"}, state)
		}
	case *ssa.Select:
		if instr.Blocking {
			u.noted(&Call{Pos: instr.Pos(), Effect: known.Wait, What: "a select without a default"}, state)
		}
	}
}

// effectOf returns what a call does. f is its function, or nil for a closure.
func (u *unit) effectOf(call *ssa.Call, f *types.Func) *Summary {
	if f == nil {
		if fn := functionOf(call.Call.Value); fn != nil && fn.Parent() != nil {
			return u.effectsOf(fn)
		}
		return &Summary{}
	}
	s := &Summary{}
	u.p.effect(s, f)
	if own := u.p.effects[f.Origin()]; own != nil {
		s.inherit(own, f.Name())
	}
	return s
}

func (u *unit) noteCall(call *ssa.Call, state opens) {
	f := u.p.callee(&call.Call)
	s := u.effectOf(call, f)
	if f != nil {
		u.noteEnd(call, f)
	}
	pos := call.Pos()
	if s.Network != "" {
		u.noted(&Call{Pos: pos, Effect: known.Network, What: s.Network}, state)
	}
	if s.Waits != "" {
		u.noted(&Call{Pos: pos, Effect: known.Wait, What: s.Waits}, state)
	}
	if s.Begins != "" {
		u.noted(&Call{Pos: pos, Effect: known.Begin, What: s.Begins, Own: u.onTx(call)}, state)
	}
	if f != nil && s.PoolWrite != "" {
		u.noted(&Call{Pos: pos, Effect: known.Pool, What: s.PoolWrite}, state)
	}
}

// onTx reports whether a transaction is begun within another, from whose handle it is begun.
func (u *unit) onTx(call *ssa.Call) bool {
	for _, arg := range operands(&call.Call) {
		v := u.origin(arg)
		if kind := u.p.execKind(v.Type()); kind == InTx || kind == OnPool && u.isTx(v) {
			return true
		}
	}
	return false
}

func isEnd(name string) bool {
	return name == "Commit" || name == "Rollback" || name == "Begin" || name == "BeginTx"
}

// noteEnd notes a Commit, Rollback or Begin of the completion transaction, which only a type assertion
// makes possible.
func (u *unit) noteEnd(call *ssa.Call, f *types.Func) {
	if !isEnd(f.Name()) {
		return
	}
	args := operands(&call.Call)
	if len(args) == 0 {
		return
	}
	v := u.origin(args[0])
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	if assert, ok := v.(*ssa.TypeAssert); ok && u.p.execKind(assert.X.Type()) == Completion {
		u.noted(&Call{Pos: call.Pos(), Effect: known.End, What: f.Name()}, nil)
	}
}

func (u *unit) noted(c *Call, state opens) {
	for _, o := range state {
		if c.Open == nil || o.Pos < c.Open.Pos {
			c.Open = o
		}
	}
	c.Syntax = u.p.syntaxAt(c.Pos)
	if c.Syntax != nil {
		u.p.Calls = append(u.p.Calls, c)
	}
}

// syntaxAt finds the call whose parenthesis, or the receive or select, that stands at a place.
func (p *Package) syntaxAt(pos token.Pos) ast.Node {
	if p.places == nil {
		p.places = map[token.Pos]ast.Node{}
		for _, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					p.places[n.Lparen] = n
				case *ast.UnaryExpr:
					if n.Op == token.ARROW {
						p.places[n.OpPos] = n
					}
				case *ast.SelectStmt:
					p.places[n.Select] = n
				case *ast.RangeStmt:
					p.places[n.For] = n
				case *ast.GoStmt:
					p.places[n.Go] = n
				case *ast.SendStmt:
					p.places[n.Arrow] = n
				}
				return true
			})
		}
	}
	return p.places[pos]
}

// Callee returns the function that a call names, or nil.
func (p *Package) Callee(call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(p.pass.TypesInfo, call).(*types.Func)
	return f
}
