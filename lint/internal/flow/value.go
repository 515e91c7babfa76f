package flow

import (
	"cmp"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Kind says what an origin is.
type Kind string

// The kinds of origins.
const (
	Attempt Kind = "attempt" // an attempt, retry or delivery counter
	Fresh   Kind = "fresh"   // new in each execution
	Order   Kind = "order"   // depends on the order of a map or on an address
	element Kind = "element" // of a map that is being iterated over
	Run     Kind = "run"     // the identity of the run
	Node    Kind = "node"    // the identity of the step in the run
	Word    Kind = "word"    // constant text with a letter in it
	Other   Kind = "other"   // anything else
	Glued   Kind = "glued"   // made of two parts that nothing separates
	Length  Kind = "length"  // the length of something
	param   Kind = "param"   // a parameter of the function, or a field of one
)

// Origin is one thing that a value is made of.
type Origin struct {
	Kind  Kind
	What  string    // names it for people: "JobRow.Attempt"
	Pos   token.Pos // where it comes into this package's view: the expression, or the call of a helper
	End   token.Pos // for an element: the end of the loop
	Via   string    // the helpers it came through, for people
	Param int
	Path  string // of the fields below the parameter: ".0.1"
}

func (o Origin) compare(p Origin) int {
	return cmp.Or(cmp.Compare(o.Kind, p.Kind), cmp.Compare(o.Pos, p.Pos), cmp.Compare(o.Param, p.Param),
		cmp.Compare(o.Path, p.Path), cmp.Compare(o.What, p.What), cmp.Compare(o.Via, p.Via), cmp.Compare(o.End, p.End))
}

// Part is a piece of a value: constant text, or something that comes from origins.
type Part struct {
	Const bool
	Text  string
	Min   int  // the least length in bytes
	Fixed bool // the length is always Min
	From  []Origin
}

// Value is what is known of a value: its parts in order. A struct has Fields, by their paths.
type Value struct {
	Parts  []Part
	Fields map[string]*Value
}

// text is a constant.
func text(s string) *Value {
	return &Value{Parts: []Part{{Const: true, Text: s, Min: len(s), Fixed: true}}}
}

// opaque is a value of one part.
func opaque(from ...Origin) *Value { return &Value{Parts: []Part{{From: from}}} }

var unknown = opaque(Origin{Kind: Other})

// Constant returns the text of a value without variable parts.
func (v *Value) Constant() (string, bool) {
	if v == nil || v.Fields != nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range v.Parts {
		if !p.Const {
			return "", false
		}
		b.WriteString(p.Text)
	}
	return b.String(), true
}

// Origins returns all that the value is made of, sorted.
func (v *Value) Origins() []Origin {
	if v == nil {
		return nil
	}
	var all []Origin
	for _, p := range v.Parts {
		all = append(all, p.From...)
		if p.Const && strings.ContainsFunc(p.Text, unicode.IsLetter) {
			all = append(all, Origin{Kind: Word})
		}
	}
	for _, f := range v.Fields {
		all = append(all, f.Origins()...)
	}
	return limited(all)
}

// maxOrigins bounds what is kept of one value; nobody reads more.
const maxOrigins = 24

func limited(all []Origin) []Origin {
	slices.SortFunc(all, Origin.compare)
	all = slices.Compact(all)
	return all[:min(len(all), maxOrigins)]
}

// Find returns the value's first origin of a kind.
func (v *Value) Find(k Kind) (Origin, bool) {
	for _, o := range v.Origins() {
		if o.Kind == k {
			return o, true
		}
	}
	return Origin{}, false
}

// Has reports whether the value comes from a kind.
func (v *Value) Has(k Kind) bool { _, ok := v.Find(k); return ok }

// MinLength is the least length of the value as text.
func (v *Value) MinLength() int {
	n := 0
	if v != nil {
		for _, p := range v.Parts {
			n += p.Min
		}
	}
	return n
}

// Glued reports whether two parts of variable length stand side by side, and which: part i and the next.
// A length that is part of the value makes the parts recognisable.
func (v *Value) Glued() (int, bool) {
	if v == nil || v.Has(Length) {
		return 0, false
	}
	if v.Has(Glued) {
		return -1, true
	}
	open := -1
	for i, p := range v.Parts {
		switch {
		case p.Const && p.Text == "":
		case p.Fixed:
			open = -1
		case open >= 0:
			return open, true
		default:
			open = i
		}
	}
	return 0, false
}

// join is the value that is one or the other.
func join(a, b *Value) *Value {
	switch {
	case a == nil:
		return b
	case b == nil || equal(a, b):
		return a
	}
	from := limited(append(a.shallow(), b.shallow()...))
	p := Part{Min: min(a.MinLength(), b.MinLength()), From: from}
	p.Fixed = a.fixed() && b.fixed() && a.MinLength() == b.MinLength()
	v := &Value{Parts: []Part{p}}
	if a.Fields != nil || b.Fields != nil {
		v.Fields = map[string]*Value{}
		for k, f := range a.Fields {
			v.Fields[k] = join(f, b.Fields[k])
		}
		for k, f := range b.Fields {
			v.Fields[k] = join(f, a.Fields[k])
		}
		if len(from) == 0 {
			v.Parts = nil
		}
	}
	return v
}

// shallow are the origins of the parts alone, without the fields.
func (v *Value) shallow() []Origin { return (&Value{Parts: v.Parts}).Origins() }

func (v *Value) fixed() bool {
	for _, p := range v.Parts {
		if !p.Fixed {
			return false
		}
	}
	return true
}

func equal(a, b *Value) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || len(a.Parts) != len(b.Parts) || len(a.Fields) != len(b.Fields) {
		return false
	}
	for i, p := range a.Parts {
		q := b.Parts[i]
		if p.Const != q.Const || p.Text != q.Text || p.Min != q.Min || p.Fixed != q.Fixed || !slices.Equal(p.From, q.From) {
			return false
		}
	}
	for k, f := range a.Fields {
		if !equal(f, b.Fields[k]) {
			return false
		}
	}
	return true
}

// maxParts bounds the parts of a value; beyond it becomes opaque.
const maxParts = 32

// concat is the text of the values one behind the other.
func concat(values ...*Value) *Value {
	out := &Value{}
	for _, v := range values {
		if v == nil {
			continue
		}
		if v.Fields != nil {
			out.Parts = append(out.Parts, Part{From: v.Origins()})
			continue
		}
		for _, p := range v.Parts {
			if !p.Const || p.Text != "" {
				out.Parts = append(out.Parts, p)
			}
		}
	}
	if len(out.Parts) > maxParts {
		return carry(out)
	}
	return out
}

// carry is an opaque value that comes from all that the values come from.
func carry(values ...*Value) *Value {
	var from []Origin
	for _, v := range values {
		from = append(from, v.Origins()...)
	}
	return opaque(limited(from)...)
}

// sized returns an opaque value a fixed length.
func sized(v *Value, n int) *Value {
	return &Value{Parts: []Part{{Min: n, Fixed: true, From: v.Origins()}}}
}

// digest is the hash of a value. That its input was ambiguous is remembered.
func digest(v *Value, n int) *Value {
	d := sized(v, n)
	if _, glued := v.Glued(); glued {
		d.Parts[0].From = limited(append(slices.Clone(d.Parts[0].From), Origin{Kind: Glued}))
	}
	return d
}

// without drops origins of some kinds.
func (v *Value) without(drop func(Origin) bool) *Value {
	if v == nil {
		return nil
	}
	out := &Value{Parts: slices.Clone(v.Parts)}
	for i, p := range out.Parts {
		out.Parts[i].From = slices.DeleteFunc(slices.Clone(p.From), drop)
	}
	if v.Fields != nil {
		out.Fields = map[string]*Value{}
		for k, f := range v.Fields {
			out.Fields[k] = f.without(drop)
		}
	}
	return out
}

func isOrder(o Origin) bool { return o.Kind == Order || o.Kind == element }
func isFresh(o Origin) bool { return o.Kind == Fresh }

// at returns a field of a value, or an element of one: the path ".2", "[0]", "[*]", or several of them.
func (v *Value) at(path string) *Value {
	if v == nil || path == "" {
		return v
	}
	if f := v.Fields[path]; f != nil {
		return f
	}
	var found *Value
	below := map[string]*Value{}
	for k, f := range v.Fields {
		if rest, ok := strings.CutPrefix(path, k); ok && isPath(rest) {
			found = join(found, f.at(rest))
		}
		if rest, ok := strings.CutPrefix(k, path); ok && isPath(rest) {
			below[rest] = f
		}
	}
	if len(below) > 0 {
		return &Value{Fields: below}
	}
	if found != nil || v.Fields != nil && len(v.Parts) == 0 {
		return found
	}
	return v.project(path)
}

func isPath(s string) bool { return s == "" || s[0] == '.' || s[0] == '[' || s[0] == '~' }

// project is a field of a value whose fields are not known apart. A parameter's field is named; of all
// else the field comes from what the whole comes from.
func (v *Value) project(path string) *Value {
	var from []Origin
	for _, o := range v.shallow() {
		switch {
		case o.Kind == param && len(o.Path) < 24:
			o.Path += path
			from = append(from, o)
		case o.Kind != Word && o.Kind != Length:
			from = append(from, o)
		}
	}
	return opaque(from...)
}

// field is the path of a struct field.
func field(i int) string { return "." + strconv.Itoa(i) }
