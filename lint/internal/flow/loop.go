package flow

import (
	"go/ast"
	"go/token"
	"go/types"
)

// retryLoop reports whether a loop tries the same thing again until it succeeds, and finds its counters.
// Such a loop has a counter or no condition, goes on after an error and leaves without one. A loop over
// data, of which each round is another intent, does not count.
func (p *Package) retryLoop(loop *ast.ForStmt) *Region {
	l := p.newLoop(loop.Body)
	l.count(loop.Init)
	l.count(loop.Post)
	switch {
	case loop.Cond == nil:
	case !l.condition(loop.Cond):
		return nil
	}
	if loop.Post == nil {
		for _, s := range loop.Body.List {
			l.count(s)
		}
	}
	return l.region(loop.Cond != nil && mentionsError(p.pass.TypesInfo, loop.Cond))
}

// retryRange is retryLoop for a range over a number.
func (p *Package) retryRange(loop *ast.RangeStmt) *Region {
	t := p.pass.TypesInfo.TypeOf(loop.X)
	if t == nil {
		return nil
	}
	if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return nil
	}
	l := p.newLoop(loop.Body)
	if l.measures(loop.X) {
		return nil
	}
	if id, ok := loop.Key.(*ast.Ident); ok {
		l.counters[p.pass.TypesInfo.ObjectOf(id)] = true
	}
	return l.region(false)
}

// loopReader reads one loop.
type loopReader struct {
	info     *types.Info
	body     *ast.BlockStmt
	counters map[types.Object]bool
}

func (p *Package) newLoop(body *ast.BlockStmt) *loopReader {
	return &loopReader{p.pass.TypesInfo, body, map[types.Object]bool{}}
}

// count adds the number that a statement declares or counts.
func (l *loopReader) count(s ast.Stmt) {
	var counted ast.Expr
	switch s := s.(type) {
	case *ast.IncDecStmt:
		counted = s.X
	case *ast.AssignStmt:
		if s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN || s.Tok == token.DEFINE && len(s.Lhs) == 1 && isInteger(l.info.TypeOf(s.Rhs[0])) && isLiteral(s.Rhs[0]) {
			counted = s.Lhs[0]
		}
	}
	if id, ok := counted.(*ast.Ident); ok && isInteger(l.info.TypeOf(id)) {
		l.counters[l.info.ObjectOf(id)] = true
	}
}

func isLiteral(e ast.Expr) bool { _, ok := e.(*ast.BasicLit); return ok }

func isInteger(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// condition reports whether a loop's condition only compares its counters, or asks for an error.
func (l *loopReader) condition(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			return l.condition(e.X) && l.condition(e.Y)
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.NEQ, token.EQL:
			if errorCompared(l.info, e, token.NEQ) {
				return true
			}
			return isInteger(l.info.TypeOf(e.X)) && !l.measures(e.X) && !l.measures(e.Y)
		}
	}
	return false
}

// measures reports whether an expression asks for the length of something.
func (l *loopReader) measures(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "len" {
				found = true
			}
		}
		return !found
	})
	return found
}

// region returns the loop if it is a retry loop. conditional says that its condition asks for an error.
func (l *loopReader) region(conditional bool) *Region {
	if l.indexes() || !conditional && !l.leaves(l.body.List) {
		return nil
	}
	return &Region{counters: l.counters}
}

// indexes reports whether a counter picks an element of something: then the loop is one over data.
func (l *loopReader) indexes() bool {
	found := false
	ast.Inspect(l.body, func(n ast.Node) bool {
		if x, ok := n.(*ast.IndexExpr); ok {
			if id, ok := ast.Unparen(x.Index).(*ast.Ident); ok && l.counters[l.info.ObjectOf(id)] && !l.isDelay(x.X) {
				found = true
			}
		}
		return !found
	})
	return found
}

// isDelay recognises a list of waiting times, which a retry loop may well pick from.
func (l *loopReader) isDelay(e ast.Expr) bool {
	t := l.info.TypeOf(e)
	if s, ok := t.Underlying().(*types.Slice); ok {
		return types.TypeString(s.Elem(), nil) == "time.Duration"
	}
	return false
}

// leaves reports whether the statements leave the loop when there is no error, and only then.
func (l *loopReader) leaves(list []ast.Stmt) bool {
	for i, s := range list {
		switch s := s.(type) {
		case *ast.IfStmt:
			if asks(l.info, s.Cond, token.EQL, token.LAND) && (exits(s.Body.List) || l.branches(s.Body.List)) {
				return true
			}
			if asks(l.info, s.Cond, token.NEQ, token.LOR) {
				if block, ok := s.Else.(*ast.BlockStmt); ok && exits(block.List) && !exits(s.Body.List) {
					return true
				}
				if goesOn(s.Body.List) && exits(list[i+1:]) {
					return true
				}
			}
		case *ast.SwitchStmt:
			if s.Tag == nil && l.cases(s) {
				return true
			}
		case *ast.LabeledStmt:
			if l.leaves([]ast.Stmt{s.Stmt}) {
				return true
			}
		}
	}
	return false
}

// branches reports whether what runs without an error leaves on one of its ways.
func (l *loopReader) branches(list []ast.Stmt) bool {
	for _, s := range list {
		if s, ok := s.(*ast.IfStmt); ok && exits(s.Body.List) {
			return true
		}
	}
	return false
}

func (l *loopReader) cases(s *ast.SwitchStmt) bool {
	for _, clause := range s.Body.List {
		clause := clause.(*ast.CaseClause)
		for _, e := range clause.List {
			if asks(l.info, e, token.EQL, token.LAND) && returns(clause.Body) {
				return true
			}
		}
	}
	return false
}

// asks reports whether a condition compares an error with nil, alone or as one of several that op joins.
func asks(info *types.Info, e ast.Expr, compare, op token.Token) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b.Op == op {
		return asks(info, b.X, compare, op) || asks(info, b.Y, compare, op)
	}
	return errorCompared(info, b, compare)
}

func errorCompared(info *types.Info, b *ast.BinaryExpr, op token.Token) bool {
	isNil := func(e ast.Expr) bool { return info.Types[e].IsNil() }
	isErr := func(e ast.Expr) bool { t := info.TypeOf(e); return t != nil && isError(t) }
	return b.Op == op && (isNil(b.Y) && isErr(b.X) || isNil(b.X) && isErr(b.Y))
}

func mentionsError(info *types.Info, e ast.Expr) bool {
	return asks(info, e, token.NEQ, token.LAND) || asks(info, e, token.NEQ, token.LOR)
}

// exits reports whether statements end by leaving the loop.
func exits(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.GOTO
	}
	return false
}

func returns(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].(*ast.ReturnStmt)
	return ok
}

// goesOn reports whether statements end by going into the next round.
func goesOn(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	s, ok := list[len(list)-1].(*ast.BranchStmt)
	return ok && s.Tok == token.CONTINUE
}
