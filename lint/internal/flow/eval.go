package flow

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/idem-go/idem/lint/internal/known"
)

// content is the path of what was written into a builder, a buffer or a hash.
const content = "~"

// constantOf is the value of a constant.
func constantOf(c constant.Value) *Value {
	switch {
	case c == nil:
		return &Value{}
	case c.Kind() == constant.String:
		return text(constant.StringVal(c))
	}
	return text(c.ExactString())
}

// instruction evaluates one instruction.
func (u *unit) instruction(instr ssa.Value) *Value {
	switch instr := instr.(type) {
	case *ssa.Call:
		return u.call(instr)
	case *ssa.UnOp:
		return u.unary(instr)
	case *ssa.BinOp:
		return u.binary(instr)
	case *ssa.Phi:
		var v *Value
		for _, edge := range instr.Edges {
			v = join(v, u.value(edge))
		}
		return v
	case *ssa.Extract:
		return u.extract(instr)
	case *ssa.Field:
		if v := u.p.fieldSource(instr.X.Type(), instr.Field, instr.Pos()); v != nil {
			return v
		}
		return u.value(instr.X).at(field(instr.Field))
	case *ssa.Index:
		return u.value(instr.X).at(index(instr.Index))
	case *ssa.Lookup:
		return u.lookup(instr)
	case *ssa.Slice:
		return u.slice(instr)
	case *ssa.MakeMap, *ssa.MakeSlice:
		return u.read(instr, "")
	case *ssa.Convert:
		return u.value(instr.X)
	case *ssa.MultiConvert:
		return u.value(instr.X)
	case *ssa.ChangeType:
		return u.value(instr.X)
	case *ssa.ChangeInterface:
		return u.value(instr.X)
	case *ssa.MakeInterface:
		return u.value(instr.X)
	case *ssa.SliceToArrayPointer:
		return u.value(instr.X)
	case *ssa.TypeAssert:
		if instr.CommaOk {
			return &Value{Fields: map[string]*Value{"[0]": u.value(instr.X)}}
		}
		return u.value(instr.X)
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeClosure, *ssa.Range, *ssa.Next:
		return nil
	}
	return unknown
}

func isLoad(v *ssa.UnOp) bool { return v.Op == token.MUL }

func (u *unit) unary(v *ssa.UnOp) *Value {
	switch v.Op {
	case token.MUL:
		return u.load(v.X)
	case token.SUB, token.XOR:
		return carry(u.value(v.X))
	}
	return unknown
}

func (u *unit) binary(v *ssa.BinOp) *Value {
	x, y := u.value(v.X), u.value(v.Y)
	switch v.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return &Value{} // a decision carries nothing
	case token.ADD:
		if isString(v.Type()) {
			return u.folded(v, concat(x, y))
		}
	case token.QUO:
		if isWindow(v.Y) {
			return carry(x.without(isFresh))
		}
	}
	return carry(x, y)
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isWindow reports whether a division by a constant cuts time into windows. By a power of ten it changes
// the unit.
func isWindow(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	n, exact := constant.Int64Val(c.Value)
	for exact && n > 1 && n%10 == 0 {
		n /= 10
	}
	return exact && n > 1
}

// folded turns what comes from the elements of a map into the order of that map, where the elements of
// one iteration are added to those of the iterations before.
func (u *unit) folded(instr ssa.Value, v *Value) *Value {
	if !v.Has(element) || !u.accumulates(instr) {
		return v
	}
	return ordered(v, instr.Pos())
}

// ordered is the value with the elements of loops around pos taken for their order.
func ordered(v *Value, pos token.Pos) *Value {
	out := &Value{Fields: v.Fields}
	for _, p := range v.Parts {
		from := make([]Origin, len(p.From))
		for i, o := range p.From {
			if o.Kind == element && within(pos, o.Pos, o.End) {
				o.Kind = Order
			}
			from[i] = o
		}
		p.From = limited(from)
		out.Parts = append(out.Parts, p)
	}
	return out
}

// accumulates reports whether a value depends on itself in the iteration before.
func (u *unit) accumulates(v ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	var reaches func(x ssa.Value) bool
	reaches = func(x ssa.Value) bool {
		if x == v {
			return true
		}
		if seen[x] || len(seen) > 64 {
			return false
		}
		seen[x] = true
		for _, y := range u.inputs(x) {
			if reaches(y) {
				return true
			}
		}
		return false
	}
	for _, x := range u.inputs(v) {
		if reaches(x) {
			return true
		}
	}
	return false
}

// inputs are the values that a text or a list is put together from.
func (u *unit) inputs(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.BinOp:
		return []ssa.Value{v.X, v.Y}
	case *ssa.Phi:
		return v.Edges
	case *ssa.Call:
		list := v.Call.Args
		if n := len(list); n > 0 {
			list = append(list[:n-1:n-1], append(variadic(&v.Call), list[n-1])...)
		}
		return list
	case *ssa.UnOp:
		if isLoad(v) {
			root, path := u.resolve(v.X)
			return u.stored[cell{root, path}]
		}
	case *ssa.MakeInterface:
		return []ssa.Value{v.X}
	case *ssa.Convert:
		return []ssa.Value{v.X}
	case *ssa.Slice:
		return []ssa.Value{v.X}
	}
	return nil
}

func (u *unit) extract(v *ssa.Extract) *Value {
	next, ok := v.Tuple.(*ssa.Next)
	if !ok {
		return u.value(v.Tuple).at(result(v.Index))
	}
	iterator, ok := next.Iter.(*ssa.Range)
	if !ok || v.Index == 0 {
		return unknown
	}
	if _, isMap := iterator.X.Type().Underlying().(*types.Map); !isMap {
		return carry(u.value(iterator.X))
	}
	out := carry(u.value(iterator.X).without(isOrder))
	if loop := u.p.rangeAt(iterator.Pos()); loop != nil {
		o := Origin{Kind: element, What: "the order in which the map is ranged over", Pos: loop.Pos(), End: loop.End()}
		out.Parts[0].From = limited(append(out.Parts[0].From, o))
	}
	return out
}

func (u *unit) lookup(v *ssa.Lookup) *Value {
	if load, ok := v.X.(*ssa.UnOp); ok && isLoad(load) {
		if f, ok := load.X.(*ssa.FieldAddr); ok {
			if o := u.p.attribute(f.X.Type(), f.Field, v); o != nil {
				return o
			}
		}
	}
	if f, ok := v.X.(*ssa.Field); ok {
		if o := u.p.attribute(f.X.Type(), f.Field, v); o != nil {
			return o
		}
	}
	found := u.value(v.X).at(index(v.Index))
	if isString(v.X.Type()) {
		found = carry(u.value(v.X))
	}
	if v.CommaOk {
		return &Value{Fields: map[string]*Value{"[0]": found}}
	}
	return found
}

func (u *unit) slice(v *ssa.Slice) *Value {
	x := u.value(v.X)
	if v.Low == nil && v.High == nil {
		return x
	}
	if x != nil && x.Fields != nil {
		return x
	}
	return carry(x)
}

// fieldSource is the value of a field that the table knows.
func (p *Package) fieldSource(t types.Type, i int, pos token.Pos) *Value {
	if s, ok := deref(t).Underlying().(*types.Struct); ok && i < s.NumFields() {
		if v := p.named(s.Field(i).Name(), s.Field(i).Type(), pos); v != nil {
			return v
		}
	}
	symbol := known.OfField(t, i)
	if symbol == "" {
		return nil
	}
	for _, e := range p.all(symbol) {
		if v := source(e, symbol, pos); v != nil {
			return v
		}
	}
	return nil
}

// source is the value that a line of the table gives its symbol.
func source(e *known.Entry, symbol string, pos token.Pos) *Value {
	var k Kind
	switch e.Kind {
	case known.Attempt:
		k = Attempt
	case known.Fresh:
		k = Fresh
	case known.Run:
		k = Run
	case known.Node:
		k = Node
	default:
		return nil
	}
	v := opaque(Origin{Kind: k, What: short(symbol), Pos: pos})
	if n := e.Int("len", 0); n > 0 {
		return sized(v, n)
	}
	return v
}

// attribute is the value of an entry of a map that the table knows.
func (p *Package) attribute(t types.Type, i int, v *ssa.Lookup) *Value {
	symbol := known.OfField(t, i)
	for _, e := range p.all(symbol) {
		if e.Kind == known.Attribute && index(v.Index) == "["+e.Text("name")+"]" {
			out := opaque(Origin{Kind: Attempt, What: e.Text("name"), Pos: v.Pos()})
			if v.CommaOk {
				return &Value{Fields: map[string]*Value{"[0]": out}}
			}
			return out
		}
	}
	return nil
}
