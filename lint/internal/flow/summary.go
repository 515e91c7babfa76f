package flow

import (
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/idem-go/idem/lint/internal/known"
	"github.com/idem-go/idem/lint/internal/sqltext"
)

// Summary is what a caller must know of a function. It is a fact, so that it does not matter in which
// package the caller is.
type Summary struct {
	Results    []*Value
	Keys       []KeyParam        // the parameters that reach a key
	Minted     []MintedKey       // keys that the function mints itself
	Statements []RemoteStatement // what it does to the database, if only a function that runs again may not
	Network    string            // the call over the network that it makes, "" without
	Waits      string            // what it waits for
	Begins     string            // the transaction that it begins
	Executes   string            // the statement that it runs in a completion transaction
	PoolWrite  string            // the statement that it writes with outside of any transaction
}

// KeyParam is a parameter, or a field of one, that reaches a key.
type KeyParam struct {
	Param int
	Path  string
	Sink  string
	Limit Limit
}

// MintedKey is a key that is made of something new in each call.
type MintedKey struct{ What, Sink string }

// RemoteStatement is a statement of a function in another package.
type RemoteStatement struct{ Text, Table, Where string }

// AFact marks summaries as facts.
func (*Summary) AFact() {}

// String names what is in the summary.
func (s *Summary) String() string {
	data, _ := json.Marshal(s)
	return string(data)
}

type plainSummary Summary

// GobEncode writes the summary; JSON has its maps in a stable order.
func (s *Summary) GobEncode() ([]byte, error) { return json.Marshal((*plainSummary)(s)) }

// GobDecode reads what GobEncode wrote.
func (s *Summary) GobDecode(data []byte) error { return json.Unmarshal(data, (*plainSummary)(s)) }

// Summary returns what is known of a function, or nil.
func (p *Package) Summary(f *types.Func) *Summary {
	if f == nil || f.Pkg() == nil {
		return nil
	}
	f = f.Origin()
	s, done := p.summaries[f]
	if done {
		return s
	}
	p.summaries[f] = p.effects[f] // ends a recursion
	switch {
	case f.Pkg() != p.pass.Pkg:
		imported := new(Summary)
		if !p.pass.ImportObjectFact(f, imported) {
			return nil
		}
		s = imported
	case p.ssa == nil:
		return p.effects[f]
	default:
		s = p.summarise(f)
	}
	p.summaries[f] = s
	return s
}

// summarise evaluates a function of this package.
func (p *Package) summarise(f *types.Func) *Summary {
	s := p.effects[f]
	if s == nil {
		s = &Summary{}
	}
	fn := p.ssa.Prog.FuncValue(f)
	if fn == nil || fn.Blocks == nil {
		return s
	}
	u := p.newUnit(fn)
	u.evaluate()
	p.units = append(p.units, u)
	s.Results = u.returns[fn]
	s.Keys = u.keyParams()
	return s
}

// export makes facts of what other packages can ask for.
func (p *Package) export() {
	leads := false
	for _, f := range p.functions() {
		s := p.Summary(f)
		if s == nil || !f.Exported() {
			continue
		}
		if e := s.exported(); e != nil {
			p.pass.ExportObjectFact(f, e)
			leads = leads || e.leads()
		}
	}
	if leads {
		p.pass.ExportPackageFact(new(opened))
	}
}

// leads reports whether a function leads to a key or to a statement, or gives something that must not
// become a key.
func (s *Summary) leads() bool {
	if len(s.Keys)+len(s.Minted)+len(s.Statements) > 0 {
		return true
	}
	for _, r := range s.Results {
		if r.Has(Attempt) || r.Has(Fresh) {
			return true
		}
	}
	return false
}

// exported leaves away what means nothing elsewhere. It returns nil when nothing is left.
func (s *Summary) exported() *Summary {
	e := *s
	e.Results = make([]*Value, len(s.Results))
	telling := false
	for i, r := range s.Results {
		if slices.ContainsFunc(r.Origins(), func(o Origin) bool { return o.Kind != Other && o.Kind != Length && o.Kind != element }) {
			e.Results[i] = r.portable()
			telling = true
		}
	}
	if !telling {
		e.Results = nil
	}
	if !telling && len(e.Keys) == 0 && len(e.Minted) == 0 && len(e.Statements) == 0 &&
		e.Network+e.Waits+e.Begins+e.Executes+e.PoolWrite == "" {
		return nil
	}
	return &e
}

// portable is the value without positions.
func (v *Value) portable() *Value {
	if v == nil {
		return nil
	}
	out := &Value{}
	for _, p := range v.Parts {
		from := make([]Origin, len(p.From))
		for i, o := range p.From {
			o.Pos, o.End = token.NoPos, token.NoPos
			from[i] = o
		}
		p.From = limited(from)
		out.Parts = append(out.Parts, p)
	}
	if v.Fields != nil {
		out.Fields = map[string]*Value{}
		for k, f := range v.Fields {
			out.Fields[k] = f.portable()
		}
	}
	return out
}

// findEffects reads from the syntax alone which functions use the network, wait, begin a transaction or
// run a statement in a completion transaction, directly or through functions that they call. It is
// cheap, so it is done for packages that the gate keeps out too.
func (p *Package) findEffects() {
	calls := map[*types.Func][]*types.Func{}
	for f, decl := range p.syntax {
		if decl.Body == nil {
			continue
		}
		s := &Summary{}
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
				return false
			case *ast.CallExpr:
				if callee, _ := typeutil.Callee(p.pass.TypesInfo, n).(*types.Func); callee != nil {
					p.effect(s, callee)
					p.poolWrite(s, n, callee)
					calls[f] = append(calls[f], callee)
				}
			}
			return true
		})
		p.effects[f] = s
	}
	p.spread(calls)
}

// effect adds what a call of the function does.
func (p *Package) effect(s *Summary, callee *types.Func) {
	if callee.Pkg() != nil && callee.Pkg() != p.pass.Pkg {
		imported := new(Summary)
		if p.pass.ImportObjectFact(callee.Origin(), imported) {
			s.inherit(imported, callee.Name())
			return
		}
	}
	for _, e := range p.all(known.OfFunc(callee)) {
		name := short(e.Symbol)
		if strings.HasSuffix(e.Symbol, "*") || strings.Contains(e.Symbol, "...") {
			name = short(known.OfFunc(callee))
		}
		switch e.Kind {
		case known.Network:
			s.Network = name
		case known.Wait:
			s.Waits = name
		case known.Begin, known.Within:
			s.Begins = name
		case known.Execute:
			s.Executes = name
		}
	}
	if isGRPC(callee) {
		s.Network = short(known.OfFunc(callee))
	}
}

// poolWrite adds a statement that writes by a pool.
func (p *Package) poolWrite(s *Summary, call *ast.CallExpr, callee *types.Func) {
	i, ok := textArg(callee)
	sel, isMethod := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !isMethod || i >= len(call.Args) || p.execKind(p.pass.TypesInfo.TypeOf(sel.X)) != OnPool {
		return
	}
	tv := p.pass.TypesInfo.Types[call.Args[i]]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return
	}
	for _, stmt := range sqltext.Parse(constant.StringVal(tv.Value)) {
		if stmt.Writes() {
			s.PoolWrite = stmt.Verb + " " + stmt.Table
		}
	}
}

// isGRPC recognises the methods of generated clients: their last parameter is ...grpc.CallOption.
func isGRPC(f *types.Func) bool {
	sig := f.Signature()
	if !sig.Variadic() || sig.Recv() == nil {
		return false
	}
	last, ok := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	if !ok {
		return false
	}
	named := known.Named(last.Elem())
	return named != nil && known.OfType(named) == "google.golang.org/grpc.CallOption"
}

func (s *Summary) inherit(from *Summary, name string) (changed bool) {
	take := func(to *string, what string) {
		if *to == "" && what != "" {
			*to = strings.TrimSpace(name + ": " + what)
			if strings.Count(*to, ": ") > 3 {
				*to = what
			}
			changed = true
		}
	}
	take(&s.Network, from.Network)
	take(&s.Waits, from.Waits)
	take(&s.Begins, from.Begins)
	take(&s.Executes, from.Executes)
	take(&s.PoolWrite, from.PoolWrite)
	return changed
}

// spread hands the effects of functions on to their callers, in the package.
func (p *Package) spread(calls map[*types.Func][]*types.Func) {
	functions := p.functions()
	for changed := true; changed; {
		changed = false
		for _, f := range functions {
			for _, callee := range calls[f] {
				if s := p.effects[callee.Origin()]; s != nil && p.effects[f] != nil && callee.Origin() != f {
					changed = p.effects[f].inherit(s, callee.Name()) || changed
				}
			}
		}
	}
}

// keyParams returns the parameters of the unit's function that reach a key.
func (u *unit) keyParams() []KeyParam {
	var list []KeyParam
	for _, s := range u.sinks() {
		for _, o := range s.Value.Origins() {
			if o.Kind == param {
				k := KeyParam{o.Param, o.Path, s.Name, s.Limit}
				if !slices.Contains(list, k) {
					list = append(list, k)
				}
			}
		}
	}
	return list
}

// callAt finds the instruction of a call.
func (u *unit) callAt(call *ast.CallExpr) ssa.CallInstruction {
	if u.calls == nil {
		u.calls = map[token.Pos]ssa.CallInstruction{}
		for _, fn := range u.funcs {
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					if c, ok := instr.(ssa.CallInstruction); ok && c.Common().Pos().IsValid() {
						u.calls[c.Common().Pos()] = c
					}
				}
			}
		}
	}
	return u.calls[call.Lparen]
}
