package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/idem-go/idem/lint/internal/known"
)

// result is the path of a result of a call.
func result(i int) string { return "[" + strconv.Itoa(i) + "]" }

// callee returns the function or method that a call names, or nil.
func (p *Package) callee(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	f, _ := fn.Object().(*types.Func)
	return f
}

// short is a symbol for people: its type and name, or its package and name.
func short(symbol string) string {
	symbol = symbol[strings.LastIndexByte(symbol, '/')+1:]
	if strings.Count(symbol, ".") > 1 {
		_, symbol, _ = strings.Cut(symbol, ".")
	}
	return symbol
}

// operands are the receiver and the arguments of a call, as the parameters of its function count them.
func operands(c *ssa.CallCommon) []ssa.Value {
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	return c.Args
}

// variadic returns the variadic arguments of a call one by one, or nil when they are not known so.
func variadic(c *ssa.CallCommon) []ssa.Value {
	if !c.Signature().Variadic() || len(c.Args) == 0 {
		return nil
	}
	return elementsOf(c.Args[len(c.Args)-1])
}

// elementsOf returns the elements of a slice literal, or nil.
func elementsOf(v ssa.Value) []ssa.Value {
	slice, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	alloc, ok := slice.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	array, ok := alloc.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || array.Len() > 1000 {
		return nil
	}
	list, any := make([]ssa.Value, array.Len()), array.Len() == 0
	for _, ref := range *alloc.Referrers() {
		addr, ok := ref.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		c, ok := addr.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		for _, use := range *addr.Referrers() {
			if s, ok := use.(*ssa.Store); ok && s.Addr == addr {
				list[c.Int64()] = s.Val
				any = true
			}
		}
	}
	if !any {
		return nil // made, not written out
	}
	return list
}

// call evaluates a call.
func (u *unit) call(call *ssa.Call) *Value {
	c := &call.Call
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return u.builtin(call, b.Name())
	}
	if v, ok := u.closure(call); ok {
		return v
	}
	f := u.p.callee(c)
	if f == nil {
		u.rangeOver(call)
		return unknown
	}
	v := u.table(call, f)
	if v == nil {
		return u.summarised(call, f)
	}
	if c.Signature().Results().Len() > 1 {
		return &Value{Fields: map[string]*Value{"[0]": v}}
	}
	return v
}

func (u *unit) builtin(call *ssa.Call, name string) *Value {
	c := &call.Call
	switch name {
	case "len":
		return opaque(Origin{Kind: Length})
	case "append":
		v := u.value(c.Args[0])
		for _, x := range c.Args[1:] {
			v = carry(v, carry(u.value(x)))
		}
		return u.folded(call, v)
	case "min", "max":
		var v *Value
		for _, x := range c.Args {
			v = carry(v, u.value(x))
		}
		return v
	case "copy":
		root, path := u.resolve(c.Args[0])
		u.write(cell{root, path}, carry(u.value(c.Args[1])))
		return &Value{}
	case "cap":
		return &Value{}
	}
	return unknown
}

// closure evaluates a call of one of the unit's own closures.
func (u *unit) closure(call *ssa.Call) (*Value, bool) {
	fn := call.Call.StaticCallee()
	if fn == nil || fn.Parent() == nil {
		return nil, false
	}
	for i, q := range fn.Params {
		if i < len(call.Call.Args) {
			u.args[q] = join(u.args[q], u.value(call.Call.Args[i]))
		}
	}
	results := u.returns[fn]
	if len(results) == 1 {
		return results[0], true
	}
	v := &Value{Fields: map[string]*Value{}}
	for i, r := range results {
		v.Fields[result(i)] = r
	}
	return v, true
}

// rangeOver notes the loop variables of a loop over an iterator without an order.
func (u *unit) rangeOver(call *ssa.Call) {
	if len(call.Call.Args) != 1 || !u.value(call.Call.Value).Has(Order) {
		return
	}
	closure, ok := call.Call.Args[0].(*ssa.MakeClosure)
	if !ok {
		return
	}
	body := closure.Fn.(*ssa.Function)
	if loop := u.p.rangeAround(body.Pos()); loop != nil {
		for _, q := range body.Params {
			u.elements[q] = loop
		}
	}
}

// table evaluates a call of a function that the table knows; otherwise it gives nil.
func (u *unit) table(call *ssa.Call, f *types.Func) *Value {
	symbol := known.OfFunc(f)
	entries := u.p.all(symbol)
	var v *Value
	for _, e := range entries {
		switch e.Kind {
		case known.Fills:
			root, path := u.resolve(call.Call.Args[e.Int("arg", 0)])
			u.write(cell{root, path}, opaque(Origin{Kind: Fresh, What: short(symbol), Pos: call.Pos()}))
		case known.Write:
			u.written(call, e)
		case known.Carry:
			v = u.carried(call, f, e)
		default:
			if s := source(e, symbol, call.Pos()); s != nil {
				v = s
			}
		}
	}
	for _, e := range entries {
		switch {
		case v == nil:
		case e.Kind == known.Sorted:
			v = v.without(isOrder)
		case e.Kind == known.Unordered:
			v = carry(v, opaque(Origin{Kind: Order, What: "the order of " + short(symbol), Pos: call.Pos()}))
		}
	}
	return v
}

// written adds the arguments of a call to the content of its receiver or destination.
func (u *unit) written(call *ssa.Call, e *known.Entry) {
	args := operands(&call.Call)
	dest := e.Int("dest", 0)
	if dest >= len(args) {
		return
	}
	root, path := u.resolve(args[dest])
	var v *Value
	if f := u.p.callee(&call.Call); strings.HasSuffix(f.Name(), "printf") {
		v = u.sprintf(call, args[dest+1:])
	} else {
		for i, x := range args {
			if i != dest {
				v = concat(v, u.spread(x))
			}
		}
	}
	if v == nil {
		return
	}
	for _, o := range v.Origins() {
		if o.Kind == element && !within(root.Pos(), o.Pos, o.End) {
			v = ordered(v, call.Pos())
			break
		}
	}
	u.write(cell{root, path + content}, v)
}

// spread returns the value of an argument; of variadic ones all.
func (u *unit) spread(x ssa.Value) *Value {
	list := elementsOf(x)
	if list == nil {
		return u.value(x)
	}
	var v *Value
	for _, e := range list {
		v = concat(v, u.value(e))
	}
	return v
}

// carried evaluates a call whose result is made of its arguments.
func (u *unit) carried(call *ssa.Call, f *types.Func, e *known.Entry) *Value {
	if results := call.Call.Signature().Results(); results.Len() > 0 && isBool(results.At(0).Type()) {
		return &Value{}
	}
	args := operands(&call.Call)
	if v := u.shaped(call, f, args); v != nil {
		return v
	}
	v := u.together(args)
	if n := e.Int("digest", 0); n > 0 {
		return digest(v, n)
	}
	if n := e.Int("len", 0); n > 0 {
		return sized(v, n)
	}
	if len(args) == 1 && f.Signature().Results().Len() > 0 && isString(deref(f.Signature().Results().At(0).Type())) && passes[f.Name()] {
		return v
	}
	return carry(v)
}

// passes are functions of one argument whose result is as long and as apart as what they are given.
var passes = map[string]bool{
	"Itoa": true, "FormatBool": true, "ToLower": true, "ToUpper": true, "TrimSpace": true, "Clone": true, "Must": true, "String": true,
}

// together is the content of all arguments in order, with what was written into them.
func (u *unit) together(args []ssa.Value) *Value {
	var v *Value
	for _, x := range args {
		if isContext(x.Type()) {
			continue
		}
		if written := u.content(x); written != nil {
			v = concat(v, written)
			continue
		}
		v = concat(v, u.spread(x))
	}
	if v == nil {
		return &Value{}
	}
	return v
}

// content is what was written into a builder, a buffer or a hash, or nil. What a hash began with, such as
// the key of an HMAC, is part of it.
func (u *unit) content(x ssa.Value) *Value {
	root, path := u.resolve(x)
	if !slices.Contains(u.paths[root], path+content) {
		return nil
	}
	written := u.read(root, path+content)
	if _, isAlloc := root.(*ssa.Alloc); isAlloc || written == nil {
		return written
	}
	began := carry(u.values[root]).without(func(o Origin) bool { return o.Kind == Other || o.Kind == Word })
	if len(began.Origins()) == 0 {
		return u.cells[cell{root, path + content}]
	}
	return carry(written, began)
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// summarised evaluates a call by the summary of its function.
func (u *unit) summarised(call *ssa.Call, f *types.Func) *Value {
	s := u.p.Summary(f)
	if s == nil || len(s.Results) == 0 {
		return unknown
	}
	args := operands(&call.Call)
	values := make([]*Value, len(args))
	for i, x := range args {
		values[i] = u.value(x)
	}
	if len(s.Results) == 1 {
		return substitute(s.Results[0], values, call.Pos(), f.Name())
	}
	out := &Value{Fields: map[string]*Value{}}
	for i, r := range s.Results {
		out.Fields[result(i)] = substitute(r, values, call.Pos(), f.Name())
	}
	return out
}

// substitute puts the arguments of a call into a value that speaks of parameters.
func substitute(v *Value, args []*Value, pos token.Pos, name string) *Value {
	if v == nil {
		return nil
	}
	argument := func(o Origin) *Value {
		if o.Param >= len(args) {
			return unknown
		}
		if a := args[o.Param].at(o.Path); a != nil {
			return a
		}
		return unknown
	}
	out := &Value{}
	for _, p := range v.Parts {
		if len(p.From) == 1 && p.From[0].Kind == param && !p.Fixed {
			out.Parts = append(out.Parts, concat(argument(p.From[0])).Parts...)
			continue
		}
		var from []Origin
		for _, o := range p.From {
			if o.Kind == param {
				from = append(from, argument(o).Origins()...)
				continue
			}
			if o.Kind == Order || o.Kind == Fresh || o.Kind == Attempt || o.Kind == Run || o.Kind == Node {
				o.Pos, o.End = pos, token.NoPos
				o.Via = strings.TrimPrefix(o.Via+" in "+name, " ")
			}
			from = append(from, o)
		}
		p.From = limited(from)
		out.Parts = append(out.Parts, p)
	}
	if len(out.Parts) > maxParts {
		out = carry(out)
	}
	if v.Fields != nil {
		out.Fields = map[string]*Value{}
		for k, f := range v.Fields {
			out.Fields[k] = substitute(f, args, pos, name)
		}
	}
	return out
}
