package resolve

import (
	"go/token"
	"go/types"

	"github.com/idem-go/idem/gen/model"
)

// columnType is what a Go type is in Postgres.
type columnType struct {
	sql      string
	encode   model.Encoding
	nullable bool
	nilable  bool   // the Go value can be nil
	convert  string // basic type that the value becomes before pgx sees it
}

// noType says why a Go type has no column type, and what to do.
type noType struct{ message, fix string }

// typing finds the column type of one field.
type typing struct {
	*Resolver
	field    string    // names it for people
	pos      token.Pos // of the field
	override string    // the tag's type:, "" without
	oneWay   bool      // generated code does not read the column back
}

// typeOf finds the column type of the field's Go type.
func (f typing) typeOf(t types.Type) (columnType, *noType) {
	t, pointer := types.Unalias(t), false
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	if why := neverAColumn(t, pointer); why != nil {
		return columnType{}, why
	}
	ct, why := f.valueType(t)
	if why != nil {
		return columnType{}, why
	}
	if why := f.elementsStored(t, ct); why != nil {
		return columnType{}, why
	}
	switch {
	case pointer:
		ct.nullable, ct.nilable = true, true
	case ct.encode == model.Plain && valuer.of(t).reach == byPointer:
		ct.encode, ct.nilable = model.Address, false
	}
	return ct, nil
}

// neverAColumn refuses what no type: helps with.
func neverAColumn(t types.Type, pointer bool) *noType {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if pointer {
			return &noType{"a pointer to a pointer has no column type", "use a single pointer"}
		}
	case *types.Interface:
		return &noType{"an interface has no column type", "use a concrete type"}
	case *types.Chan, *types.Signature:
		return &noType{"a " + KindName(u) + " has no column type", `remove the field, or tag it db:"-"`}
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 || u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr {
			return &noType{u.String() + " has no column type", `use another type, or tag the field db:"-"`}
		}
	}
	return nil
}

// valueType finds the column type of what is not a pointer.
func (f typing) valueType(t types.Type) (columnType, *noType) {
	override := f.override
	if ct, ok := knownType(t); ok {
		return ct.as(override, t), nil
	}
	if isBytes(t) && isJSON(override) {
		return columnType{}, &noType{f.Display(t) + " in a " + override + " column could be JSON or bytes", "use json.RawMessage"}
	}
	if override == "" && (IsNamed(t, "math/big", "Rat") || IsNamed(t, "math/big", "Float")) {
		return columnType{}, &noType{f.Display(t) + " writes itself in a form that numeric does not read", `add type:text to its db tag`}
	}
	if elem, ok := nullOf(t); ok {
		return f.nullType(elem)
	}
	if isDatabaseValue(t) || isPgtype(t) {
		return f.selfStoring(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicType(u, t).as(override, t), nil
	case *types.Array:
		if isUUID(t) {
			return columnType{sql: "uuid", encode: model.UUID}.as(override, t), nil
		}
	case *types.Slice:
		if ct, ok := arrayType(t, u.Elem()); ok {
			return ct.as(override, t), nil
		}
	case *types.Struct:
		if hasText(t) && !isJSON(override) {
			return f.textType(t)
		}
	}
	return f.jsonType(t), nil
}
