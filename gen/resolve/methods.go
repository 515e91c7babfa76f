package resolve

import (
	"go/types"
	"reflect"
	"strings"
)

// This file knows how Go's encoders come to the methods by which a type has a form of its own: json and text by
// encoding/json, Value and Scan by database/sql and pgx. All that decides how a value crosses asks here.

// reach says what of a type has a method.
type reach int

const (
	none      reach = iota
	byPointer       // its pointer alone: a value without an address does not have it
	byValue
)

// method is one by which a type has a form of its own; the zero value says that it has none.
type method struct {
	name  string
	reach reach
	from  *types.Var // the embedded field that it is promoted from; nil when it is the type's own
	lost  []string   // the fields beside that one, of which the method knows nothing
}

func (m method) absent() bool { return m.reach == none }

// contract is a method that an encoder looks for.
type contract struct {
	name string
	tag  string // key of the struct tag that leaves fields out of the encoding
	is   func(*types.Signature) bool
}

var (
	marshalJSON   = contract{"MarshalJSON", "json", givesBytes}
	unmarshalJSON = contract{"UnmarshalJSON", "json", takesBytes}
	marshalText   = contract{"MarshalText", "json", givesBytes}
	unmarshalText = contract{"UnmarshalText", "json", takesBytes}
	valuer        = contract{"Value", "db", givesValue}
	scanner       = contract{"Scan", "db", takesAny}
)

// of looks for the method of a type that is no pointer. An interface has none: what it holds decides.
func (c contract) of(t types.Type) method {
	if _, ok := t.Underlying().(*types.Interface); ok {
		return method{}
	}
	obj, index, _ := types.LookupFieldOrMethod(t, true, nil, c.name)
	fn, ok := obj.(*types.Func)
	if !ok || !c.is(fn.Signature()) {
		return method{}
	}
	m := method{name: c.name, reach: byPointer}
	if obj, _, _ := types.LookupFieldOrMethod(t, false, nil, c.name); obj != nil {
		m.reach = byValue
	}
	m.from, m.lost = promoted(t, index[:len(index)-1], c.tag)
	return m
}

// promoted follows a method to the embedded field that it is from, and collects what stands beside on the way.
func promoted(t types.Type, path []int, tag string) (from *types.Var, lost []string) {
	for _, at := range path {
		s, ok := pointed(t).Underlying().(*types.Struct)
		if !ok {
			return from, lost
		}
		for i := range s.NumFields() {
			if i != at && written(s, i, tag) {
				lost = append(lost, s.Field(i).Name())
			}
		}
		from = s.Field(at)
		t = from.Type()
	}
	return from, lost
}

// written reports whether a field would be part of its struct's encoding.
func written(s *types.Struct, i int, tag string) bool {
	f := s.Field(i)
	name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get(tag), ",")
	_, embedded := embeddedStruct(f)
	return name != "-" && (f.Exported() || embedded)
}

// embeddedStruct returns the struct that a field embeds, by itself or by its pointer.
func embeddedStruct(f *types.Var) (types.Type, bool) {
	t := pointed(f.Type())
	_, ok := t.Underlying().(*types.Struct)
	return t, ok && f.Embedded()
}

// pointed returns what a pointer points to, and other types as they are.
func pointed(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return types.Unalias(t)
}

// jsonWriter is the method by which encoding/json writes a type that has an address.
func jsonWriter(t types.Type) method {
	if m := marshalJSON.of(t); !m.absent() {
		return m
	}
	return marshalText.of(t)
}

// jsonReader is the method by which encoding/json reads a type back.
func jsonReader(t types.Type) method {
	if m := unmarshalJSON.of(t); !m.absent() {
		return m
	}
	return unmarshalText.of(t)
}

// hasText reports whether a type has a text form, both ways.
func hasText(t types.Type) bool {
	return !marshalText.of(t).absent() && !unmarshalText.of(t).absent()
}

// MarshalsItself reports whether a type has a JSON or text form of its own, both ways.
func MarshalsItself(t types.Type) bool {
	return !marshalJSON.of(t).absent() && !unmarshalJSON.of(t).absent() || hasText(t)
}

// StoresItself reports whether a type, or what it points to, says itself what is stored of it.
func StoresItself(t types.Type) bool { return !valuer.of(pointed(t)).absent() }

// isDatabaseValue reports whether a type stores or reads itself through database/sql.
func isDatabaseValue(t types.Type) bool {
	return !valuer.of(t).absent() || !scanner.of(t).absent()
}

func hasString(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "String")
	_, ok := obj.(*types.Func)
	return ok
}

func givesBytes(s *types.Signature) bool {
	return s.Params().Len() == 0 && s.Results().Len() == 2 && isByteSlice(s.Results().At(0).Type()) && IsError(s.Results().At(1).Type())
}

func takesBytes(s *types.Signature) bool {
	return s.Params().Len() == 1 && s.Results().Len() == 1 && isByteSlice(s.Params().At(0).Type()) && IsError(s.Results().At(0).Type())
}

func givesValue(s *types.Signature) bool {
	return s.Params().Len() == 0 && s.Results().Len() == 2 && IsNamed(s.Results().At(0).Type(), "database/sql/driver", "Value")
}

func takesAny(s *types.Signature) bool {
	return s.Params().Len() == 1 && s.Results().Len() == 1 && IsError(s.Results().At(0).Type()) &&
		types.Identical(s.Params().At(0).Type(), types.NewInterfaceType(nil, nil))
}

func isByteSlice(t types.Type) bool { return types.Identical(t, types.NewSlice(types.Typ[types.Byte])) }
