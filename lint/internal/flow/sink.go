package flow

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/idem-go/idem/lint/internal/known"
)

// Sink is an expression that becomes a deduplication key, or a part of one.
type Sink struct {
	Expr   ast.Expr
	Value  *Value
	Name   string // for people: "the header Idempotency-Key"
	Column bool   // it is a column of a conflict target, one of several parts of the key
	Limit  Limit
	Remote string // the key is minted in this function of another package, which Expr calls
}

// Limit is how long a provider lets a key be. The zero value is no limit.
type Limit struct {
	Max      int
	Provider string
}

// sinks finds the keys in the unit's source.
func (u *unit) sinks() []*Sink {
	if u.searched {
		return u.keys
	}
	u.searched = true
	for _, n := range u.syntax() {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				u.literal(n)
			case *ast.AssignStmt:
				u.assignment(n)
			case *ast.CallExpr:
				u.callSinks(n)
			}
			return true
		})
	}
	return u.keys
}

// syntax is the source that the unit was made of.
func (u *unit) syntax() []ast.Node {
	if n := u.root.Syntax(); n != nil {
		return []ast.Node{n}
	}
	var list []ast.Node // the package's variables
	for _, file := range u.p.files {
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok {
				list = append(list, gen)
			}
		}
	}
	return list
}

// expr returns the value of an expression, or nil.
func (u *unit) expr(e ast.Expr) *Value {
	e = ast.Unparen(e)
	if tv, ok := u.p.pass.TypesInfo.Types[e]; ok && tv.Value != nil {
		return constantOf(tv.Value)
	}
	if v, ok := u.exprs[e]; ok {
		return u.value(v)
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return u.expr(e.X)
	case *ast.CompositeLit:
		if len(e.Elts) == 1 { // []string{key} of a header
			return u.expr(e.Elts[0])
		}
	}
	return nil
}

// add notes a sink.
func (u *unit) add(s *Sink) {
	s.Expr = ast.Unparen(s.Expr)
	if s.Value == nil {
		s.Value = u.expr(s.Expr)
	}
	for _, k := range u.keys {
		if k.Expr == s.Expr {
			if k.Column && !s.Column {
				k.Column, k.Name = false, s.Name
			}
			if k.Limit.Max == 0 {
				k.Limit = s.Limit
			}
			return
		}
	}
	if s.Value != nil {
		u.keys = append(u.keys, s)
	}
}

func (u *unit) typeOf(e ast.Expr) types.Type { return u.p.pass.TypesInfo.TypeOf(e) }

// literal finds keys among the fields and entries of a composite literal.
func (u *unit) literal(lit *ast.CompositeLit) {
	t := u.typeOf(lit)
	if t == nil {
		return
	}
	switch under := deref(t).Underlying().(type) {
	case *types.Struct:
		for i, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					u.fieldSink(deref(t), id.Name, kv.Value)
				}
			} else if i < under.NumFields() {
				u.fieldSink(deref(t), under.Field(i).Name(), e)
			}
		}
	case *types.Map:
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				u.entrySink(t, kv.Key, kv.Value)
			}
		}
	}
}

// fieldSink adds the value of a field that holds a key. A struct that is named after attempts has one row
// for each.
func (u *unit) fieldSink(owner types.Type, name string, value ast.Expr) {
	named := known.Named(owner)
	if named != nil && (watches(named.Obj().Name()) || IsAttemptTable(named.Obj().Name()) || named.Obj().Pkg() != nil && watches(named.Obj().Pkg().Name())) {
		return
	}
	if !isKeyName(name) && (named == nil || u.p.table.Find(known.Key, known.OfType(named)+"."+name) == nil) {
		return
	}
	s := &Sink{Expr: value, Name: "the field " + name}
	if named != nil && named.Obj().Pkg() != nil {
		s.Limit = u.p.limit(named.Obj())
	}
	u.add(s)
}

// limit is that of the provider whose package declares the object.
func (p *Package) limit(obj types.Object) Limit {
	for _, e := range p.all(known.Path(obj.Pkg().Path()) + "." + obj.Name()) {
		if e.Kind == known.Limit {
			return Limit{e.Int("max", 0), e.Text("name")}
		}
	}
	return Limit{}
}

// entrySink adds the value of a map's or header's entry that is a key.
func (u *unit) entrySink(t types.Type, key, value ast.Expr) {
	name, ok := u.name(key)
	if !ok || !isKeyHeader(name) {
		return
	}
	if named := known.Named(t); named != nil && named.Obj().Pkg() != nil && watches(named.Obj().Pkg().Name()) {
		return
	}
	u.add(&Sink{Expr: value, Name: "the entry " + name})
}

// name is the text of a constant expression.
func (u *unit) name(e ast.Expr) (string, bool) {
	tv, ok := u.p.pass.TypesInfo.Types[e]
	if !ok || tv.Value == nil {
		return "", false
	}
	return constantOf(tv.Value).Constant()
}

func (u *unit) assignment(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		return
	}
	for i, lhs := range s.Lhs {
		switch lhs := ast.Unparen(lhs).(type) {
		case *ast.SelectorExpr:
			if sel := u.p.pass.TypesInfo.Selections[lhs]; sel != nil && sel.Kind() == types.FieldVal {
				u.fieldSink(deref(sel.Recv()), lhs.Sel.Name, s.Rhs[i])
			}
		case *ast.IndexExpr:
			if t := u.typeOf(lhs.X); t != nil {
				if _, isMap := t.Underlying().(*types.Map); isMap {
					u.entrySink(t, lhs.Index, s.Rhs[i])
				}
			}
		}
	}
}

// setters are methods that give a header or an entry, named by the first argument, its value.
var setters = []string{"Set", "Add", "SetHeader", "AddHeader", "Header", "WithHeader", "SetMetadata"}

// callSinks finds keys among the arguments of a call.
func (u *unit) callSinks(call *ast.CallExpr) {
	if u.p.pass.TypesInfo.Types[call.Fun].IsType() {
		return
	}
	u.bound(call)
	sig, _ := u.typeOf(call.Fun).(*types.Signature)
	f, _ := typeutil.Callee(u.p.pass.TypesInfo, call).(*types.Func)
	if sig == nil || f != nil && onlyWatches(f) {
		return
	}
	u.namedParams(call, sig, f)
	if f == nil {
		return
	}
	if e := u.p.known(known.Key, f); e != nil && e.Int("arg", 0) < len(call.Args) {
		u.add(&Sink{Expr: call.Args[e.Int("arg", 0)], Name: short(e.Symbol)})
	}
	lower := strings.ToLower(f.Name())
	if len(call.Args) == 1 && isKeyName(f.Name()) && (strings.HasPrefix(lower, "set") || strings.HasPrefix(lower, "with")) {
		u.add(&Sink{Expr: call.Args[0], Name: f.Name(), Limit: u.p.limit(f)})
	}
	if len(call.Args) > 1 && slices.Contains(setters, f.Name()) {
		if name, ok := u.name(call.Args[0]); ok && isKeyHeader(name) {
			u.add(&Sink{Expr: call.Args[1], Name: "the header " + name})
		}
	}
	u.handedOn(call, f)
}

// namedParams finds the arguments for parameters that are named as keys.
func (u *unit) namedParams(call *ast.CallExpr, sig *types.Signature, f *types.Func) {
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		if i >= len(call.Args) || !isKeyName(v.Name()) || sig.Variadic() && i == sig.Params().Len()-1 {
			continue
		}
		s := &Sink{Expr: call.Args[i], Name: "the parameter " + v.Name()}
		if f != nil {
			s.Name += " of " + f.Name()
			if f.Pkg() != nil {
				s.Limit = u.p.limit(f)
			}
			if k := u.p.keyParam(f, i, call); k != nil {
				s.Limit = k.Limit
			}
		}
		u.add(s)
	}
}

// keyParam finds what the summary of a function says of the parameter for argument i.
func (p *Package) keyParam(f *types.Func, i int, call *ast.CallExpr) *KeyParam {
	s := p.Summary(f)
	if s == nil {
		return nil
	}
	for k := range s.Keys {
		if s.Keys[k].Param-shift(f) == i && s.Keys[k].Path == "" {
			return &s.Keys[k]
		}
	}
	return nil
}

// shift is by how much the parameters of a method count further than its arguments.
func shift(f *types.Func) int {
	if f.Signature().Recv() != nil {
		return 1
	}
	return 0
}

// handedOn finds the arguments that reach a key inside the function that is called, and calls that mint
// one themselves.
func (u *unit) handedOn(call *ast.CallExpr, f *types.Func) {
	s := u.p.Summary(f)
	if s == nil {
		return
	}
	for _, k := range s.Keys {
		i := k.Param - shift(f)
		if i < 0 || i >= len(call.Args) || call.Ellipsis.IsValid() && i == len(call.Args)-1 {
			continue
		}
		arg := ast.Unparen(call.Args[i])
		v := u.expr(arg)
		if k.Path == "" {
			u.add(&Sink{Expr: arg, Name: k.Sink, Limit: k.Limit})
			continue
		}
		if inner := innerField(u.p.pass.TypesInfo, arg, k.Path); inner != nil {
			u.add(&Sink{Expr: inner, Name: k.Sink, Limit: k.Limit})
		} else if v != nil {
			u.add(&Sink{Expr: arg, Value: v.at(k.Path), Name: k.Sink, Limit: k.Limit})
		}
	}
	for _, m := range s.Minted {
		if f.Pkg() != u.p.pass.Pkg {
			o := Origin{Kind: Fresh, What: m.What, Pos: call.Pos(), Via: "in " + f.Name()}
			u.add(&Sink{Expr: call, Value: opaque(o), Name: m.Sink, Remote: f.Name()})
		}
	}
}

// innerField finds the expression for a field in a struct literal, or nil.
func innerField(info *types.Info, e ast.Expr, path string) ast.Expr {
	if unary, ok := e.(*ast.UnaryExpr); ok {
		e = ast.Unparen(unary.X)
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	s, ok := deref(info.TypeOf(lit)).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i, elt := range lit.Elts {
		kv, keyed := elt.(*ast.KeyValueExpr)
		for n := range s.NumFields() {
			if field(n) != path {
				continue
			}
			if id, ok := keyName(kv, keyed); ok && id == s.Field(n).Name() {
				return kv.Value
			}
			if !keyed && i == n {
				return elt
			}
		}
	}
	return nil
}

func keyName(kv *ast.KeyValueExpr, keyed bool) (string, bool) {
	if !keyed {
		return "", false
	}
	id, ok := kv.Key.(*ast.Ident)
	if !ok {
		return "", false
	}
	return id.Name, true
}

// find collects what the rules ask for from an evaluated unit.
func (u *unit) find() {
	for _, s := range u.sinks() {
		if !u.p.seen[s.Expr] {
			u.p.seen[s.Expr] = true
			u.p.Sinks = append(u.p.Sinks, s)
		}
	}
	u.statements()
	u.transactions()
}

// propagate puts into the summaries of functions that run once what they must not do when they are
// called from code that runs again.
func (p *Package) propagate() {
	for _, s := range p.Sinks {
		o, fresh := s.Value.Find(Fresh)
		f := p.enclosing(s.Expr)
		if !fresh || f == nil || p.AgainFrom(s.Expr.Pos(), o.Pos) != nil || !o.Pos.IsValid() {
			continue
		}
		if sum := p.summaries[f]; sum != nil && len(sum.Minted) < 4 {
			sum.Minted = append(sum.Minted, MintedKey{o.What, s.Name})
		}
	}
	for _, s := range p.Statements {
		f := p.enclosing(s.Call)
		if f == nil || s.Stmt == nil || p.Again(s.Call.Pos()) != nil || s.Kind == Completion || s.Kind == InTx {
			continue
		}
		if sum := p.summaries[f]; sum != nil && len(sum.Statements) < 4 && s.Text != "" {
			sum.Statements = append(sum.Statements, RemoteStatement{s.Text, s.Table, p.pass.Fset.Position(s.Call.Pos()).String()})
		}
	}
}

// enclosing returns the declared function around a node, or nil.
func (p *Package) enclosing(n ast.Node) *types.Func {
	for f, decl := range p.syntax {
		if within(n.Pos(), decl.Pos(), decl.End()) {
			return f
		}
	}
	return nil
}

// ValueOf returns the value of an expression anywhere in the package, or nil.
func (p *Package) ValueOf(e ast.Expr) *Value {
	for _, u := range p.units {
		if _, ok := u.exprs[ast.Unparen(e)]; ok {
			return u.expr(e)
		}
	}
	if tv, ok := p.pass.TypesInfo.Types[e]; ok && tv.Value != nil {
		return constantOf(tv.Value)
	}
	return nil
}
