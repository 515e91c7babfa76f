package flow

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// index is the path of an element: of a constant index or key, or of any.
func index(v ssa.Value) string {
	if c, ok := unwrap(v).(*ssa.Const); ok && c.Value != nil {
		if c.Value.Kind() == constant.String {
			return "[" + strings.NewReplacer(".", "_", "[", "_").Replace(constant.StringVal(c.Value)) + "]"
		}
		return "[" + c.Value.ExactString() + "]"
	}
	return "[*]"
}

// resolve returns the place that a pointer, slice or map stands for. A pointer that lies in a field is
// followed: a field of what it points to is a field below it.
func (u *unit) resolve(v ssa.Value) (ssa.Value, string) {
	return u.resolveWithin(v, 12)
}

func (u *unit) resolveWithin(v ssa.Value, depth int) (ssa.Value, string) {
	if depth == 0 {
		return v, ""
	}
	below := func(x ssa.Value, path string) (ssa.Value, string) {
		root, above := u.resolveWithin(x, depth-1)
		return root, above + path
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return below(v.X, field(v.Field))
	case *ssa.IndexAddr:
		return below(v.X, index(v.Index))
	case *ssa.FreeVar:
		if bound := u.bindings[v]; bound != nil {
			return below(bound, "")
		}
	case *ssa.Slice:
		return below(v.X, "")
	case *ssa.MakeInterface:
		return below(v.X, "")
	case *ssa.ChangeType:
		return below(v.X, "")
	case *ssa.ChangeInterface:
		return below(v.X, "")
	case *ssa.TypeAssert:
		return below(v.X, "")
	case *ssa.UnOp:
		if !isLoad(v) || !isReference(v.Type()) {
			break
		}
		root, path := u.resolveWithin(v.X, depth-1)
		if target := u.pointers[cell{root, path}]; target != nil && target != v {
			return below(target, "")
		}
		return root, path
	}
	return v, ""
}

func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return true
	}
	return false
}

func (u *unit) store(addr, v ssa.Value) {
	root, path := u.resolve(addr)
	c := cell{root, path}
	u.write(c, u.value(v))
	if isReference(v.Type()) {
		if old, known := u.pointers[c]; known && old != v {
			u.pointers[c] = nil
		} else {
			u.pointers[c] = v
		}
	}
	if !slices.Contains(u.stored[c], v) {
		u.stored[c] = append(u.stored[c], v)
	}
}

// write adds to what a place may hold.
func (u *unit) write(c cell, v *Value) {
	if v == nil {
		return
	}
	if !slices.Contains(u.paths[c.root], c.path) {
		u.paths[c.root] = append(u.paths[c.root], c.path)
	}
	u.next[c] = join(u.next[c], v)
}

// load returns what is at an address.
func (u *unit) load(addr ssa.Value) *Value {
	if f, ok := addr.(*ssa.FieldAddr); ok {
		if v := u.p.fieldSource(f.X.Type(), f.Field, f.Pos()); v != nil {
			return v
		}
	}
	root, path := u.resolve(addr)
	v := u.read(root, path)
	if v == nil {
		return unknown
	}
	if u.sorted[addr] {
		return v.without(isOrder)
	}
	return v
}

// read returns what a place may hold: what was stored there, above it and below it, and what was there
// before.
func (u *unit) read(root ssa.Value, path string) *Value {
	var found *Value
	below := map[string]*Value{}
	for _, p := range u.paths[root] {
		v := u.cells[cell{root, p}]
		if v == nil {
			continue
		}
		if rest, ok := descend(path, p); ok {
			found = join(found, v.at(rest))
		} else if rest, ok := descend(p, path); ok {
			below[rest] = join(below[rest], v)
		}
	}
	if before := u.before(root); before != nil {
		found = join(found, before.at(path))
	}
	if len(below) == 0 {
		return found
	}
	out := &Value{Fields: below}
	if found != nil && found.Fields == nil {
		out.Parts = found.Parts
	} else if found != nil {
		for k, f := range found.Fields {
			below[k] = join(below[k], f)
		}
	}
	return out
}

// descend returns the rest of a path below another. An element of any index is every element.
func descend(path, above string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, above); ok && isPath(rest) {
		return rest, true
	}
	if !strings.Contains(path, "[") || !strings.Contains(above, "[") {
		return "", false
	}
	p, q := elements(path), elements(above)
	if len(q) > len(p) {
		return "", false
	}
	for i := range q {
		bothElements := p[i][0] == '[' && q[i][0] == '['
		if p[i] != q[i] && !(bothElements && (p[i] == "[*]" || q[i] == "[*]")) {
			return "", false
		}
	}
	return strings.Join(p[len(q):], ""), true
}

// elements splits a path: ".0[1].2" is ".0", "[1]", ".2".
func elements(path string) []string {
	var list []string
	start := 0
	for i := 1; i <= len(path); i++ {
		if i == len(path) || path[i] == '.' || path[i] == '[' {
			list = append(list, path[start:i])
			start = i
		}
	}
	return list
}

// before is what a place holds when the function begins.
func (u *unit) before(root ssa.Value) *Value {
	switch root := root.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
		return nil
	case *ssa.Global:
		return u.p.global(root)
	case *ssa.Parameter:
		return u.parameter(root)
	case *ssa.Const, *ssa.FreeVar:
		return nil
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return unknown
	}
	return u.values[root]
}
