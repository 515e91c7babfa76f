package handler

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/resolve"
)

// sampler makes up a value of a type: always the same one for the same type.
type sampler struct {
	*resolve.Resolver
	n      int             // which of the two that there are, 1 or 2
	within map[string]bool // the named structs around, by their types
	depth  int
	// changeable: JSON has a text, a number or a bool in it, which can be changed into another one.
	changeable bool
}

// noSample says what no value can be made up of, and why.
type noSample struct{ what, reason string }

// deepest is how many structs deep what can be left out is made up.
const deepest = 4

// sample returns a value, or nil for one that is left out. name is what texts in it say.
func (s *sampler) sample(t types.Type, name string) (*Sample, *noSample) {
	if known, ok := s.known(t); ok {
		return known, nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return s.pointer(p, name)
	}
	if constant := s.constant(t); constant != nil {
		s.changeable = s.changeable || !resolve.MarshalsItself(t)
		return constant, nil
	}
	if array, ok := t.Underlying().(*types.Array); ok && isByte(array.Elem()) && array.Len() > 0 {
		s.changeable = true
		return s.composite(t, name, SampleItem{Key: literal(fmt.Sprint(array.Len() - 1)), Value: *literal(fmt.Sprint(s.n))})
	}
	if resolve.MarshalsItself(t) {
		return nil, &noSample{s.what(t, name), "reads a form of its own"}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return s.basic(u, t, name)
	case *types.Slice:
		return s.slice(u, t, name)
	case *types.Array:
		return s.array(u, t, name)
	case *types.Map:
		return s.mapping(u, t, name)
	case *types.Struct:
		return s.structure(u, t, name)
	}
	return nil, &noSample{s.what(t, name), "is a " + resolve.KindName(t.Underlying())}
}

func (s *sampler) what(t types.Type, name string) string {
	if name == "input" {
		return "the input, " + s.Display(t) + ","
	}
	return "field " + name + ", " + s.Display(t) + ","
}

func (s *sampler) basic(b *types.Basic, t types.Type, name string) (*Sample, *noSample) {
	s.changeable = true
	switch {
	case b.Info()&types.IsString != 0:
		return s.text(name), nil
	case b.Info()&types.IsBoolean != 0:
		return literal(strconv.FormatBool(s.n == 1)), nil
	case b.Info()&(types.IsInteger|types.IsFloat) != 0:
		return literal(strconv.Itoa(s.n)), nil
	}
	return nil, &noSample{s.what(t, name), "is no value of JSON"}
}

// text says what it stands for.
func (s *sampler) text(name string) *Sample {
	if s.n > 1 {
		name = fmt.Sprint(name, " ", s.n)
	}
	return literal(strconv.Quote(name))
}

func literal(text string) *Sample { return &Sample{Head: text} }

func isLiteral(head string) bool {
	return head == "true" || head == "false" || strings.ContainsAny(head[:1], `"0123456789`)
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// pointer returns a pointer to a value: of a composite literal its address, of a function's *T what it gave, and
// else of what new makes.
func (s *sampler) pointer(p *types.Pointer, name string) (*Sample, *noSample) {
	to, why := s.sample(p.Elem(), name)
	if to == nil {
		return nil, why
	}
	if rest, ok := strings.CutPrefix(to.Head, "*"); ok {
		to.Head = rest
		return to, nil
	}
	if to.Composite && to.Tail == "" {
		to.Head = "&" + to.Head
		return to, nil
	}
	if s.WithTests().Scope().Lookup("new") != nil {
		return nil, nil // it is not Go's own
	}
	if isLiteral(to.Head) && !isDefaultType(p.Elem()) {
		expr, why := s.named(p.Elem(), name)
		if why != nil {
			return nil, why
		}
		to.Head, to.Tail, to.Imports = expr.Expr+"("+to.Head, ")", expr.Imports
	}
	to.Head, to.Tail = "new("+to.Head, to.Tail+")"
	return to, nil
}

// isDefaultType reports whether an untyped literal becomes a value of the type by itself.
func isDefaultType(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && (b.Kind() == types.String || b.Kind() == types.Bool || b.Kind() == types.Int)
}

func (s *sampler) slice(l *types.Slice, t types.Type, name string) (*Sample, *noSample) {
	if isByte(l.Elem()) {
		expr, why := s.named(t, name)
		return &Sample{Head: expr.Expr + "(" + s.text(name).Head + ")", Imports: expr.Imports}, why
	}
	elem, why := s.sample(l.Elem(), name)
	if elem == nil {
		return nil, why
	}
	if why := s.elide(elem, l.Elem(), name); why != nil {
		return nil, why
	}
	return s.composite(t, name, SampleItem{Value: *elem})
}

func (s *sampler) array(a *types.Array, t types.Type, name string) (*Sample, *noSample) {
	if a.Len() == 0 {
		return nil, nil
	}
	elem, why := s.sample(a.Elem(), name)
	if elem == nil {
		return nil, why
	}
	if why := s.elide(elem, a.Elem(), name); why != nil {
		return nil, why
	}
	return s.composite(t, name, SampleItem{Value: *elem})
}

func (s *sampler) mapping(m *types.Map, t types.Type, name string) (*Sample, *noSample) {
	key, why := s.sample(m.Key(), name)
	if key == nil {
		return nil, why
	}
	elem, why := s.sample(m.Elem(), name)
	if elem == nil {
		return nil, why
	}
	if why := s.elide(key, m.Key(), name); why != nil {
		return nil, why
	}
	if why := s.elide(elem, m.Elem(), name); why != nil {
		return nil, why
	}
	return s.composite(t, name, SampleItem{Key: key, Value: *elem})
}

// elide leaves out the type of an element that the literal around it gives.
func (s *sampler) elide(elem *Sample, t types.Type, name string) *noSample {
	if !elem.Composite || elem.Tail != "" {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	expr, why := s.named(t, name)
	if strings.TrimPrefix(elem.Head, "&") == expr.Expr {
		elem.Head, elem.Imports = "", nil
	}
	return why
}

// structure returns a struct with all that JSON carries in it. What would not end is left out, and so is what can
// be and lies deep.
func (s *sampler) structure(u *types.Struct, t types.Type, name string) (*Sample, *noSample) {
	key := types.TypeString(t, nil)
	if s.within[key] || s.depth >= deepest {
		return nil, nil
	}
	s.within[key] = true
	s.depth++
	defer func() { delete(s.within, key); s.depth-- }()
	var items []SampleItem
	for i := range u.NumFields() {
		f := u.Field(i)
		if !s.carried(f, u.Tag(i)) {
			continue
		}
		value, why := s.sample(f.Type(), f.Name())
		if why != nil {
			return nil, why
		}
		if value != nil {
			items = append(items, SampleItem{Key: literal(f.Name()), Value: *value})
		}
	}
	return s.composite(t, name, items...)
}

// carried reports whether JSON carries a field, and the package's tests can name it.
func (s *sampler) carried(f *types.Var, tag string) bool {
	if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name == "-" {
		return false
	}
	if f.Exported() {
		return true
	}
	_, isStruct := f.Type().Underlying().(*types.Struct)
	return f.Embedded() && isStruct && f.Pkg().Path() == s.Package.Path
}

// composite returns a literal of the type with these items.
func (s *sampler) composite(t types.Type, name string, items ...SampleItem) (*Sample, *noSample) {
	expr, why := s.named(t, name)
	if why != nil {
		return nil, why
	}
	return &Sample{Head: expr.Expr, Imports: expr.Imports, Composite: true, Items: items}, nil
}

// named returns a type as the package's tests can write it.
func (s *sampler) named(t types.Type, name string) (model.Type, *noSample) {
	expr, hidden := s.TypeExpr(t)
	if len(hidden) > 0 {
		return expr, &noSample{s.what(t, name), "is a type that only its own package can name"}
	}
	for path := range expr.Imports {
		if !mayImport(s.Package.Path, path) {
			return expr, &noSample{s.what(t, name), "is a type of an internal package"}
		}
	}
	return expr, nil
}

// mayImport applies Go's rule for internal packages.
func mayImport(from, path string) bool {
	at := strings.LastIndex("/"+path+"/", "/internal/")
	if at < 0 {
		return true
	}
	root := strings.Trim(("/" + path)[:at], "/")
	return from == root || strings.HasPrefix(from, root+"/")
}

func sameSample(a, b *Sample) bool { return reflect.DeepEqual(a, b) }
