package flow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idem-go/idem/lint/internal/known"
)

// Escape is a place where a transaction, or a handler's context, leaves the handler or its goroutine.
type Escape struct {
	pos, end token.Pos
	What     string // "the transaction"
	How      string // "is used in another goroutine"
}

// Pos is where the place begins.
func (e *Escape) Pos() token.Pos { return e.pos }

// End is where the place ends.
func (e *Escape) End() token.Pos { return e.end }

// escapes finds them in a function.
func (u *unit) escapes(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Go:
				u.spawned(&instr.Call, instr.Pos())
			case *ssa.Call:
				if e := u.p.known(known.Spawn, u.p.callee(&instr.Call)); e != nil {
					args := operands(&instr.Call)
					if i := e.Int("arg", 0) + 1; i < len(args) {
						u.inGoroutine(functionOf(args[i]))
					}
				}
			case *ssa.Store:
				u.kept(instr)
			case *ssa.MapUpdate:
				if root, _ := u.resolve(instr.Map); !u.isLocal(root) {
					u.keeps(instr.Value, instr.Pos(), "is kept in a map that outlives the handler")
				}
			case *ssa.Send:
				u.keeps(instr.X, instr.Pos(), "is sent to a channel")
			}
		}
	}
}

// spawned looks at a go statement.
func (u *unit) spawned(c *ssa.CallCommon, pos token.Pos) {
	if fn := functionOf(c.Value); fn != nil && fn.Parent() != nil {
		u.inGoroutine(fn)
	}
	for _, arg := range operands(c) {
		if what := u.guarded(arg); what == "the transaction" {
			u.escape(pos, what, "is handed to another goroutine")
			return
		}
	}
}

// inGoroutine reports the uses of transactions that a function, which runs in another goroutine, has
// from outside.
func (u *unit) inGoroutine(fn *ssa.Function) {
	if fn == nil || fn.Parent() == nil {
		return
	}
	var visit func(f *ssa.Function)
	visit = func(f *ssa.Function) {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					u.usedIn(fn, call)
				}
			}
		}
		for _, anon := range f.AnonFuncs {
			visit(anon)
		}
	}
	visit(fn)
}

func (u *unit) usedIn(fn *ssa.Function, call ssa.CallInstruction) {
	c := call.Common()
	for _, arg := range operands(c) {
		what := u.guarded(arg)
		if what == "" || isInside(u.origin(arg), fn) {
			continue
		}
		if what == "the handler's context" && !u.writesThrough(c) {
			continue
		}
		u.escape(c.Pos(), what, "is used in another goroutine")
		return
	}
}

// writesThrough reports whether a call that is given a handler's context can write through it.
func (u *unit) writesThrough(c *ssa.CallCommon) bool {
	f := u.p.callee(c)
	if f == nil {
		return false
	}
	if c.IsInvoke() && f.Name() == "CompletionTx" {
		return true
	}
	for v := range f.Signature().Params().Variables() {
		if IsRuntimeContext(v.Type()) {
			return true
		}
	}
	return false
}

// isInside reports whether a value is made in a function or in one of its closures.
func isInside(v ssa.Value, fn *ssa.Function) bool {
	for f := v.Parent(); f != nil; f = f.Parent() {
		if f == fn {
			return true
		}
	}
	return false
}

// guarded names what must stay with its handler, or gives "".
func (u *unit) guarded(v ssa.Value) string {
	t := u.origin(v).Type()
	switch {
	case u.p.execKind(t) == Completion || u.p.execKind(v.Type()) == InTx || u.p.execKind(t) == InTx:
		return "the transaction"
	case IsRuntimeContext(t):
		return "the handler's context"
	}
	return ""
}

// kept looks at a store into what outlives the handler.
func (u *unit) kept(s *ssa.Store) {
	root, _ := u.resolve(s.Addr)
	if !u.isLocal(root) {
		u.keeps(s.Val, s.Pos(), "is kept in a variable that outlives the handler")
	}
}

// keeps reports idem's own transactions and contexts. To keep another transaction in a struct is the way
// of many repositories.
func (u *unit) keeps(v ssa.Value, pos token.Pos, how string) {
	t := u.origin(v).Type()
	switch {
	case u.p.execKind(t) == Completion:
		u.escape(pos, "the completion transaction", how)
	case IsRuntimeContext(t):
		u.escape(pos, "the handler's context", how)
	}
}

// isLocal reports whether a place is a variable of the unit.
func (u *unit) isLocal(root ssa.Value) bool {
	switch root := root.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
		return true
	case *ssa.Parameter:
		_, pointer := root.Type().Underlying().(*types.Pointer)
		_, isMap := root.Type().Underlying().(*types.Map)
		return !pointer && !isMap
	case *ssa.Global:
		return false
	}
	return true // where it comes from is not known
}

func (u *unit) escape(pos token.Pos, what, how string) {
	e := &Escape{pos: pos, end: pos, What: what, How: how}
	if n := u.p.syntaxAt(pos); n != nil {
		e.pos, e.end = n.Pos(), n.End()
	}
	for _, old := range u.p.Escapes {
		if old.pos == e.pos {
			return
		}
	}
	u.p.Escapes = append(u.p.Escapes, e)
}
