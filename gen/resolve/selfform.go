package resolve

import (
	"go/types"

	"github.com/idem-go/idem/gen/model"
)

// The column types of what says itself what is stored of it: by Value and Scan, by a text form, by JSON.

// selfStoring is for what stores itself through database/sql, in a type that the tag must name.
func (f typing) selfStoring(t types.Type) (columnType, *noType) {
	if f.override == "" {
		return columnType{}, f.needsType(f.Display(t) + " stores itself (Value, Scan), in a type that only its author knows")
	}
	writes, reads := valuer.of(t), scanner.of(t)
	switch {
	case len(writes.lost) > 0:
		return columnType{}, f.besideEmbedded(writes, "stores itself", t)
	case f.oneWay:
	case len(reads.lost) > 0:
		return columnType{}, f.besideEmbedded(reads, "reads itself back", t)
	case !writes.absent() && reads.absent():
		return columnType{}, &noType{f.Display(t) + " stores itself (Value), and does not read itself back", "give it " + opposite[writes.name]}
	}
	nilable := isNilable(t)
	return columnType{sql: f.override, encode: model.Plain, nilable: nilable, nullable: nilable || isPgtype(t)}, nil
}

func (f typing) needsType(message string) *noType {
	return &noType{message, `add type: to its db tag, such as db:",type:text"`}
}

func (f typing) besideEmbedded(m method, does string, t types.Type) *noType {
	message := f.promotes(m, does, t)
	return &noType{message, "give " + f.Display(t) + " " + m.name + " and " + opposite[m.name] + " of its own"}
}

// textType is for a struct with a text form.
func (f typing) textType(t types.Type) (columnType, *noType) {
	if m := marshalText.of(t); len(m.lost) > 0 {
		return columnType{}, f.besideEmbedded(m, "writes itself", t)
	}
	if m := unmarshalText.of(t); len(m.lost) > 0 {
		return columnType{}, f.besideEmbedded(m, "reads itself back", t)
	}
	return columnType{sql: "text", encode: model.Text}.as(f.override, t), nil
}

// jsonType is for all that has no column type of its own: it is stored as JSON.
func (f typing) jsonType(t types.Type) columnType {
	nilable := isNilable(t)
	return columnType{sql: "jsonb", encode: model.JSON, nullable: nilable, nilable: nilable}.as(f.override, t)
}

// checkJSON reports what JSON cannot carry of a column that is stored as such.
func (f typing) checkJSON(t types.Type) (fine bool) {
	before := len(f.list)
	j := jsonCheck{
		Resolver: f.Resolver, JSONUse: JSONUse{Code: "no-column-type", Pos: f.pos, OneWay: f.oneWay}, allowAny: true, seen: map[visit]bool{},
		instead: ", or give the field that holds it a type: of its own in the db tag",
	}
	j.check(t, f.field, f.pos)
	return len(f.list) == before
}

// elementsStored refuses a list of what stores itself where nothing asks its elements for that: JSON does not know
// Value, and pgx does not take the addresses of an array's elements. It would ask pointers, the nil ones too.
func (f typing) elementsStored(t types.Type, ct columnType) *noType {
	if ct.encode == model.JSON && !f.checkJSON(t) {
		return nil // which is said
	}
	elem := elementOf(t)
	if elem == nil || isDatabaseValue(t) || !StoresItself(elem) {
		return nil
	}
	of := pointed(elem)
	unreached := valuer.of(of).reach == byPointer
	switch {
	case ct.encode == model.JSON && f.override == "" && jsonWriter(of).absent() && !storedByName(of):
		return &noType{"JSON does not call Value, by which " + f.Display(of) + " stores itself", storedOneByOne(t, f.Display(of), unreached)}
	case ct.encode != model.JSON && unreached:
		return &noType{"the elements of an array are not stored by Value of *" + f.Display(of), "give " + f.Display(of) + "'s Value a value receiver"}
	}
	return nil
}

// storedOneByOne says how to have the elements of t stored by their own method.
func storedOneByOne(t types.Type, elem string, unreached bool) string {
	fix := `add type: to its db tag, such as db:",type:text[]"`
	if _, isMap := t.Underlying().(*types.Map); isMap {
		fix = "give " + elem + " MarshalJSON and UnmarshalJSON"
	} else if unreached {
		fix = "give " + elem + "'s Value a value receiver and " + fix
	}
	return fix + ", or add type:jsonb to store it as JSON all the same"
}

// storedByName reports whether a type has a column type without a tag that names it.
func storedByName(t types.Type) bool {
	_, known := knownType(t)
	_, null := nullOf(t)
	return known || null || isPgtype(t)
}

// elementOf returns what a list or a map holds; nil for other types.
func elementOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return types.Unalias(u.Elem())
	case *types.Array:
		return types.Unalias(u.Elem())
	case *types.Map:
		return types.Unalias(u.Elem())
	}
	return nil
}
