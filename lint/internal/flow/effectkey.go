package flow

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idem-go/idem/lint/internal/known"
)

// IsEffectKey reports whether columns are the key of an effect: a deduplication key, or the run and the
// node.
func IsEffectKey(columns []string) bool {
	return slices.ContainsFunc(columns, isKeyName) || slices.Contains(columns, "run_id") && len(columns) > 1
}

// Completes reports whether the job is completed in the transaction of a statement: then both commit
// together, and a second execution does not see the job. The completion stands in the same function, or
// in one that calls it and hands it the transaction.
func (p *Package) Completes(s *Statement) bool {
	f := p.enclosing(s.Call)
	if f == nil || s.Kind == OnPool {
		return false
	}
	if p.completes(p.syntax[f]) {
		return true
	}
	_, handed := s.Executor.(*ssa.Parameter)
	if !handed {
		return false
	}
	for _, decl := range p.syntax {
		if p.calls(decl, f) && p.completes(decl) {
			return true
		}
	}
	return false
}

// completes reports whether a function completes a job.
func (p *Package) completes(decl *ast.FuncDecl) bool {
	return p.hasCall(decl, func(f *types.Func) bool { return p.known(known.Complete, f) != nil })
}

// calls reports whether a function calls another.
func (p *Package) calls(decl *ast.FuncDecl, callee *types.Func) bool {
	return p.hasCall(decl, func(f *types.Func) bool { return f != nil && f.Origin() == callee })
}

func (p *Package) hasCall(decl *ast.FuncDecl, wanted func(*types.Func) bool) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && wanted(p.Callee(call)) {
			found = true
		}
		return !found
	})
	return found
}

// functionAround returns the declaration around a node.
func (p *Package) functionAround(n ast.Node) ast.Node {
	if f := p.enclosing(n); f != nil {
		return p.syntax[f]
	}
	return nil
}

// Emptied reports whether a statement before has emptied, or just made, the table in the same function.
func (p *Package) Emptied(s *Statement) bool {
	around := p.functionAround(s.Call)
	for _, t := range p.Statements {
		if t.Table == s.Table && t.Call.Pos() < s.Call.Pos() && around != nil && around == p.functionAround(t.Call) {
			switch t.Stmt.Verb {
			case "DELETE", "TRUNCATE", "CREATE TEMP":
				return true
			}
		}
	}
	return false
}

// Gated reports whether a statement only runs when a keyed insert in the same function has inserted its
// row: the number of rows that it affected is asked for in between.
func (p *Package) Gated(s *Statement) bool {
	if s.Instr == nil {
		return false
	}
	for _, t := range p.Statements {
		if t.Stmt.Conflict == nil || !t.Stmt.Conflict.Nothing || t.Instr == nil || t.Instr.Parent() != s.Instr.Parent() {
			continue
		}
		if dominates(t.Instr, s.Instr) && p.counted(t, s) {
			return true
		}
	}
	return false
}

func dominates(a, b ssa.Instruction) bool {
	return a.Block() == b.Block() && a.Pos() < b.Pos() || a.Block() != b.Block() && a.Block().Dominates(b.Block())
}

// counted reports whether the affected rows of a statement, or the row that it returns, are asked for
// before another one.
func (p *Package) counted(t, s *Statement) bool {
	found := false
	ast.Inspect(p.functionAround(t.Call), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel.Name == "RowsAffected" && t.Call.Pos() < n.Pos() && n.Pos() < s.Call.Pos() {
				found = true
			}
			if n.Sel.Name == "ErrNoRows" && t.Stmt.Returns && t.Call.Pos() < n.Pos() && n.Pos() < s.Call.Pos() {
				found = true
			}
		}
		return !found
	})
	return found
}

// InCallback reports whether a statement runs in a function that is given to BeginFunc or the like.
func (p *Package) InCallback(s *Statement) bool {
	return s.Instr != nil && p.callbacks[s.Instr.Parent()]
}
