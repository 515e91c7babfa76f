package flow

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/idem-go/idem/lint/internal/known"
)

// IsEffectKey tells whether columns are the key of an effect: a deduplication key, or the run and the
// node.
func IsEffectKey(columns []string) bool {
	return slices.ContainsFunc(columns, isKeyName) || slices.Contains(columns, "run_id") && len(columns) > 1
}

// Completes tells whether the job is completed in the transaction of a statement, or next to it: then
// both commit together, and a second execution does not see the job.
func (p *Package) Completes(s *Statement) bool {
	n := p.functionAround(s.Call)
	if n == nil {
		return false
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && p.known(known.Complete, p.Callee(call)) != nil {
			found = true
		}
		return !found
	})
	return found && s.Kind != OnPool
}

// functionAround gives the declaration around a node.
func (p *Package) functionAround(n ast.Node) ast.Node {
	if f := p.enclosing(n); f != nil {
		return p.syntax[f]
	}
	return nil
}

// Emptied tells whether a statement before has emptied, or just made, the table in the same function.
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

// Gated tells whether a statement only runs when a keyed insert in the same function has inserted its
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

// counted tells whether the affected rows of a statement, or the row that it returns, are asked for
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

// InCallback tells whether a statement runs in a function that is given to BeginFunc or the like.
func (p *Package) InCallback(s *Statement) bool {
	return s.Instr != nil && p.callbacks[s.Instr.Parent()]
}
