package flow

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/idem-go/idem/lint/internal/known"
	"github.com/idem-go/idem/lint/internal/sqltext"
)

// ExecKind says what runs a statement.
type ExecKind int

// The kinds of executors.
const (
	Unclear    ExecKind = iota
	Completion          // idem's completion transaction
	InTx                // another transaction
	OnPool              // a pool or database handle: each statement is a transaction of its own
)

// Statement is a call that runs SQL, or writes through gorm or COPY.
type Statement struct {
	Call     *ast.CallExpr
	SQL      ast.Expr // nil for gorm and COPY
	Text     string
	Stmt     *sqltext.Statement
	Table    string
	Kind     ExecKind
	Executor ssa.Value // nil when it is not known
	Instr    ssa.CallInstruction
	Remote   string // where the statement stands, when Call leads into another package
	args     []ast.Expr
}

// Place is where a rule reports the statement.
func (s *Statement) Place() ast.Node {
	if s.SQL != nil {
		return s.SQL
	}
	return s.Call
}

// runners are the methods that run SQL: a text, then its arguments.
var runners = []string{
	"Exec", "ExecContext", "Query", "QueryContext", "QueryRow", "QueryRowContext", "MustExec", "MustExecContext",
	"Queue", "NamedExec", "NamedExecContext", "NamedQuery", "Queryx", "QueryxContext", "QueryRowx", "QueryRowxContext", "Raw",
	"GetContext", "SelectContext", "Get", "Select",
}

// textArg finds the argument of a call that is SQL. The call must have the form of a runner: a text and
// any number of arguments behind it.
func textArg(f *types.Func) (int, bool) {
	sig := f.Signature()
	n := sig.Params().Len()
	if !slices.Contains(runners, f.Name()) || sig.Recv() == nil {
		return 0, false
	}
	for i := range n {
		if !isString(sig.Params().At(i).Type()) || i+1 >= n {
			continue
		}
		last := sig.Params().At(i + 1).Type()
		if s, ok := last.(*types.Slice); ok && sig.Variadic() && i+1 == n-1 {
			_, any := s.Elem().Underlying().(*types.Interface)
			return i, any
		}
		if strings.HasPrefix(f.Name(), "Named") {
			return i, true
		}
	}
	return 0, false
}

// statementsOf reads the SQL of a call.
func (u *unit) statementsOf(call *ast.CallExpr) []*Statement {
	f, _ := typeutil.Callee(u.p.pass.TypesInfo, call).(*types.Func)
	if f == nil {
		return nil
	}
	i, ok := textArg(f)
	if !ok || i >= len(call.Args) {
		return u.withoutSQL(call, f)
	}
	text, ok := sqlText(u.expr(call.Args[i]))
	if !ok {
		return nil
	}
	var list []*Statement
	for _, stmt := range sqltext.Parse(text) {
		s := &Statement{Call: call, SQL: ast.Unparen(call.Args[i]), Text: text, Stmt: stmt, Table: stmt.Table, args: call.Args[i+1:]}
		u.executor(s, call)
		list = append(list, s)
	}
	return list
}

// sqlText returns the text of a statement. A variable part may stand for the name of a table or a schema,
// and for nothing else.
func sqlText(v *Value) (string, bool) {
	if v == nil || v.Fields != nil {
		return "", false
	}
	var b strings.Builder
	for i, p := range v.Parts {
		if p.Const {
			b.WriteString(p.Text)
			continue
		}
		before := strings.ToLower(strings.TrimRight(b.String(), " \t\n\""))
		schema := i+1 < len(v.Parts) && strings.HasPrefix(v.Parts[i+1].Text, ".")
		name := strings.HasSuffix(before, "into") || strings.HasSuffix(before, "update") || strings.HasSuffix(before, "from") || strings.HasSuffix(before, ".")
		if !schema && !name {
			return "", false
		}
		b.WriteString("unknown")
	}
	return b.String(), b.Len() > 0
}

// executor finds out what runs a statement.
func (u *unit) executor(s *Statement, call *ast.CallExpr) {
	s.Instr = u.callAt(call)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	if s.Instr != nil {
		if args := operands(s.Instr.Common()); len(args) > 0 {
			s.Executor = u.origin(args[0])
		}
	}
	s.Kind = u.p.execKind(u.typeOf(sel.X))
	if s.Kind == OnPool && s.Executor != nil && u.isTx(s.Executor) {
		s.Kind = InTx
	}
	if s.Kind == Unclear && s.Executor != nil {
		s.Kind = u.p.execKind(s.Executor.Type())
	}
}

func (p *Package) execKind(t types.Type) ExecKind {
	if t == nil {
		return Unclear
	}
	if named := known.Named(t); named != nil && known.OfType(named) == "github.com/idem-go/idem/runtime.Tx" {
		return Completion
	}
	if p.knownType(known.Tx, t) != nil {
		return InTx
	}
	if p.knownType(known.Pool, t) != nil {
		return OnPool
	}
	return Unclear
}

// origin follows a handle to where it comes from: out of variables and closures, and through methods
// that give back their receiver, as gorm's do.
func (u *unit) origin(v ssa.Value) ssa.Value {
	for range 20 {
		switch x := v.(type) {
		case *ssa.Call:
			f := u.p.callee(&x.Call)
			args := operands(&x.Call)
			if f == nil || len(args) == 0 || f.Signature().Recv() == nil || !types.Identical(x.Type(), args[0].Type()) || u.p.known(known.Begin, f) != nil {
				return v
			}
			v = args[0]
		case *ssa.FreeVar:
			if u.bindings[x] == nil {
				return v
			}
			v = u.bindings[x]
		case *ssa.UnOp:
			if !isLoad(x) {
				return v
			}
			root, path := u.resolve(x.X)
			stored := u.stored[cell{root, path}]
			if len(stored) != 1 {
				if root != x.X && path == "" {
					return root
				}
				return v
			}
			v = stored[0]
		case *ssa.Extract:
			return v
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
	return v
}

// isTx reports whether a handle whose type could also be a pool's comes from a Begin, or is the parameter
// of a function that runs within a transaction.
func (u *unit) isTx(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		return u.p.known(known.Begin, u.p.callee(&v.Call)) != nil
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return u.p.known(known.Begin, u.p.callee(&call.Call)) != nil
		}
	case *ssa.Parameter:
		return u.withinOf(v.Parent()) != nil || strings.EqualFold(v.Name(), "tx")
	}
	return false
}

// withoutSQL recognises writes without SQL: gorm's Create and pgx's CopyFrom.
func (u *unit) withoutSQL(call *ast.CallExpr, f *types.Func) []*Statement {
	s := &Statement{Call: call}
	switch symbol := known.OfFunc(f); {
	case symbol == "gorm.io/gorm.DB.Create" || symbol == "gorm.io/gorm.DB.CreateInBatches":
		s.Stmt = &sqltext.Statement{Verb: "INSERT", Guarded: u.hasClauses(call), Table: typeName(u.typeOf(call.Args[0]))}
	case symbol == "gorm.io/gorm.DB.Save":
		s.Stmt = &sqltext.Statement{Verb: "INSERT", Guarded: true}
	case strings.HasPrefix(symbol, "gorm.io/gorm.DB.Update") || symbol == "gorm.io/gorm.DB.Delete":
		s.Stmt = &sqltext.Statement{Verb: "UPDATE"}
	case f.Name() == "CopyFrom" && f.Signature().Recv() != nil && f.Signature().Params().Len() == 4:
		s.Stmt = &sqltext.Statement{Verb: "COPY", Table: u.copied(call.Args[1])}
	default:
		return nil
	}
	s.Table = s.Stmt.Table
	s.Text = s.Stmt.Verb
	u.executor(s, call)
	return []*Statement{s}
}

func typeName(t types.Type) string {
	for t != nil {
		switch x := types.Unalias(t).(type) {
		case *types.Pointer:
			t = x.Elem()
		case *types.Slice:
			t = x.Elem()
		case *types.Named:
			return x.Obj().Name()
		default:
			return ""
		}
	}
	return ""
}

// hasClauses reports whether a chain of gorm calls has clauses of its own, of which one may be for
// conflicts.
func (u *unit) hasClauses(call *ast.CallExpr) bool {
	for {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if sel.Sel.Name == "Clauses" || sel.Sel.Name == "Scopes" {
			return true
		}
		inner, ok := ast.Unparen(sel.X).(*ast.CallExpr)
		if !ok {
			_, direct := u.exprs[ast.Unparen(sel.X)].(*ssa.Parameter)
			return !direct && !isField(sel.X) && !isIdent(sel.X)
		}
		call = inner
	}
}

func isField(e ast.Expr) bool { _, ok := ast.Unparen(e).(*ast.SelectorExpr); return ok }
func isIdent(e ast.Expr) bool { _, ok := ast.Unparen(e).(*ast.Ident); return ok }

// copied is the table of a COPY: the last element of a literal pgx.Identifier.
func (u *unit) copied(e ast.Expr) string {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok || len(lit.Elts) == 0 {
		return ""
	}
	name, _ := u.name(lit.Elts[len(lit.Elts)-1])
	return strings.ToLower(name)
}

// statements collects the statements of the unit's source.
func (u *unit) statements() {
	for _, n := range u.syntax() {
		ast.Inspect(n, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				u.p.Statements = append(u.p.Statements, u.statementsOf(call)...)
				u.p.Statements = append(u.p.Statements, u.remote(call)...)
			}
			return true
		})
	}
}

// remote returns the statements of a function of another package that is called here.
func (u *unit) remote(call *ast.CallExpr) []*Statement {
	f, _ := typeutil.Callee(u.p.pass.TypesInfo, call).(*types.Func)
	if f == nil || f.Pkg() == u.p.pass.Pkg {
		return nil
	}
	sum := u.p.Summary(f)
	if sum == nil {
		return nil
	}
	var list []*Statement
	for _, r := range sum.Statements {
		for _, stmt := range sqltext.Parse(r.Text) {
			list = append(list, &Statement{Call: call, Text: r.Text, Stmt: stmt, Table: r.Table, Remote: r.Where, Instr: u.callAt(call)})
		}
	}
	return list
}

// attemptWords are words of a table's name that say that a row per attempt is what it is for.
var attemptWords = map[string]bool{
	"attempt": true, "attempts": true, "retry": true, "retries": true, "history": true, "audit": true, "audits": true, "log": true, "logs": true,
}

// IsAttemptTable reports whether a table's name, or that of its Go type, says that a row per attempt is
// what it is for.
func IsAttemptTable(name string) bool {
	var spaced strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && i > 0 {
			spaced.WriteByte('_')
		}
		spaced.WriteRune(r)
	}
	for _, w := range strings.Split(strings.ToLower(spaced.String()), "_") {
		if attemptWords[w] {
			return true
		}
	}
	return false
}

// bound finds keys among the arguments that a statement binds to columns.
func (u *unit) bound(call *ast.CallExpr) {
	for _, s := range u.statementsOf(call) {
		if s.Stmt == nil || s.SQL == nil || IsAttemptTable(s.Table) {
			continue
		}
		for _, column := range s.Stmt.Columns {
			isTarget := s.Stmt.Conflict != nil && slices.Contains(s.Stmt.Conflict.Target, column)
			named := isKeyName(column)
			if !isTarget && !named {
				continue
			}
			for _, n := range s.Stmt.Binds[column] {
				k := &Sink{Name: "the column " + column, Column: isTarget && !named}
				if u.bind(s, call, n, k) {
					u.add(k)
				}
			}
			for _, name := range s.Stmt.Named[column] {
				k := &Sink{Name: "the column " + column, Column: isTarget && !named}
				if u.bindNamed(s, name, k) {
					u.add(k)
				}
			}
		}
	}
}

// bind finds the expression of argument n.
func (u *unit) bind(s *Statement, call *ast.CallExpr, n int, k *Sink) bool {
	if call.Ellipsis.IsValid() {
		k.Expr = s.args[len(s.args)-1]
		list := elementsOf(u.exprs[ast.Unparen(k.Expr)])
		if n >= len(list) || list[n] == nil {
			return false
		}
		k.Value = u.value(unwrap(list[n]))
		return true
	}
	if n >= len(s.args) {
		return false
	}
	k.Expr = s.args[n]
	return true
}

// bindNamed finds what is bound to a name: the entry of a map such as pgx.NamedArgs, or the field of a
// struct that has the name in its db tag.
func (u *unit) bindNamed(s *Statement, name string, k *Sink) bool {
	if len(s.args) == 0 {
		return false
	}
	k.Expr = ast.Unparen(s.args[0])
	t := u.typeOf(k.Expr)
	if t == nil {
		return false
	}
	v := u.expr(k.Expr)
	switch t := deref(t).Underlying().(type) {
	case *types.Map:
		k.Value = v.at("[" + name + "]")
		if e := u.entryOf(k.Expr, name); e != nil {
			k.Expr = e
		}
	case *types.Struct:
		for i := range t.NumFields() {
			tag, _, _ := strings.Cut(reflect.StructTag(t.Tag(i)).Get("db"), ",")
			if tag != name {
				continue
			}
			k.Value = v.at(field(i))
			if e := innerField(u.p.pass.TypesInfo, k.Expr, field(i)); e != nil {
				k.Expr = e
			}
		}
	}
	return k.Value != nil
}

// entryOf finds the expression for a key in a map literal, or nil.
func (u *unit) entryOf(e ast.Expr, name string) ast.Expr {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := u.name(kv.Key); ok && key == name {
				return kv.Value
			}
		}
	}
	return nil
}
