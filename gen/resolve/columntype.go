package resolve

import (
	"go/token"
	"go/types"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
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
	*resolver
	field    string    // names it for people
	pos      token.Pos // of the field
	override string    // the tag's type:, "" without
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
	if pointer {
		ct.nullable, ct.nilable = true, true
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
		return &noType{"a " + kindName(u) + " has no column type", `remove the field, or tag it db:"-"`}
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
	if override == "" && (isNamed(t, "math/big", "Rat") || isNamed(t, "math/big", "Float")) {
		return columnType{}, &noType{f.display(t) + " writes itself in a form that numeric does not read", `add type:text to its db tag`}
	}
	if elem, ok := nullOf(t); ok {
		return f.nullType(elem)
	}
	if isDatabaseValue(t) || isPgtype(t) {
		if override == "" {
			return columnType{}, &noType{f.display(t) + " stores itself (Value, Scan), in a type that only its author knows", `add type: to its db tag, such as db:",type:text"`}
		}
		nilable := isNilable(t)
		return columnType{sql: override, encode: model.Plain, nilable: nilable, nullable: nilable || isPgtype(t)}, nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicType(u, t).as(override, t), nil
	case *types.Array:
		if isUUID(t) {
			return columnType{sql: "uuid", encode: model.UUID}.as(override, t), nil
		}
	case *types.Slice:
		if ct, ok := arrayType(u.Elem()); ok {
			return ct.as(override, t), nil
		}
	case *types.Struct:
		if hasMethods(t, "MarshalText", "UnmarshalText") {
			return columnType{sql: "text", encode: model.Text}.as(override, t), nil
		}
	}
	return f.jsonType(t), nil
}

// jsonType is for all that has no column type of its own: it is stored as JSON.
func (f typing) jsonType(t types.Type) columnType {
	if f.override == "" || isJSON(f.override) {
		j := jsonCheck{
			r: f.resolver, pos: f.pos, code: "no-column-type", allowAny: true, seen: map[types.Type]bool{},
			instead: ", or give the field that holds it a type: of its own in the db tag",
		}
		j.check(t, f.field, f.pos)
	}
	nilable := isNilable(t)
	return columnType{sql: "jsonb", encode: model.JSON, nullable: nilable, nilable: nilable}.as(f.override, t)
}

// as applies type: to the type that a Go type has by itself.
func (ct columnType) as(override string, t types.Type) columnType {
	if override == "" {
		return ct
	}
	switch {
	case isJSON(override) && !isText(t):
		ct.encode, ct.convert = model.JSON, ""
	case ct.encode == model.UUID && sqltext.SameType(override, "uuid"):
	case ct.encode == model.Uint64 && !isInteger(override):
	case ct.encode == model.Text:
	case ct.encode == model.UUID && hasMethods(t, "MarshalText", "UnmarshalText"):
		ct.encode = model.Text
	default:
		ct.encode = model.Plain
		if !isInteger(override) && ct.convert == "int64" {
			ct.convert = ""
		}
	}
	ct.sql = override
	return ct
}

func isJSON(sqlType string) bool {
	return sqltext.SameType(sqlType, "json") || sqltext.SameType(sqlType, "jsonb")
}

func isInteger(sqlType string) bool {
	return sqltext.SameType(sqlType, "smallint") || sqltext.SameType(sqlType, "integer") || sqltext.SameType(sqlType, "bigint")
}

// isText reports whether a value can be JSON text already: a string, or bytes that are not marked as raw
// JSON.
func isText(t types.Type) bool {
	if isNamed(t, "encoding/json", "RawMessage") {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 || isBytes(t) || isDatabaseValue(t)
}

func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

func isUUID(t types.Type) bool {
	a, ok := t.Underlying().(*types.Array)
	if !ok || a.Len() != 16 {
		return false
	}
	b, ok := a.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

func isNilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}

// isDatabaseValue reports whether a type stores or reads itself through database/sql.
func isDatabaseValue(t types.Type) bool {
	return hasMethods(t, "Value") && isValuer(t) || hasMethods(t, "Scan") && isScanner(t)
}

func isValuer(t types.Type) bool {
	sig := methodSignature(t, "Value")
	return sig.Params().Len() == 0 && sig.Results().Len() == 2 && isNamed(sig.Results().At(0).Type(), "database/sql/driver", "Value")
}

func isScanner(t types.Type) bool {
	sig := methodSignature(t, "Scan")
	return sig.Params().Len() == 1 && sig.Results().Len() == 1 && isError(sig.Results().At(0).Type()) &&
		types.Identical(sig.Params().At(0).Type(), types.NewInterfaceType(nil, nil))
}

func methodSignature(t types.Type, name string) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	return obj.(*types.Func).Signature()
}
