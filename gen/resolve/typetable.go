package resolve

import (
	"go/types"

	"github.com/idem-go/idem/gen/model"
)

// basicType returns the column type of a type whose underlying one is basic.
func basicType(b *types.Basic, t types.Type) columnType {
	ct := columnType{encode: model.Plain}
	switch b.Kind() {
	case types.Bool:
		ct.sql = "boolean"
	case types.Int8, types.Int16:
		ct.sql = "smallint"
	case types.Int32, types.Uint8, types.Uint16:
		ct.sql = "integer"
	case types.Int, types.Int64, types.Uint32:
		ct.sql = "bigint"
	case types.Uint, types.Uint64:
		ct.sql, ct.encode = "numeric(20,0)", model.Uint64
	case types.Float32:
		ct.sql = "real"
	case types.Float64:
		ct.sql = "double precision"
	case types.String:
		ct.sql = "text"
	}
	if _, named := t.(*types.Named); named && ct.encode == model.Plain && hasString(t) {
		ct.convert = b.Name() // pgx could take it for its text
	}
	return ct
}

// known are the types that are known by name: path and name to the column type.
var known = map[string]columnType{
	"time.Time":                {sql: "timestamptz", encode: model.Plain},
	"time.Duration":            {sql: "bigint", encode: model.Plain, convert: "int64"},
	"encoding/json.RawMessage": {sql: "jsonb", encode: model.JSON, nullable: true, nilable: true},
	"net/netip.Addr":           {sql: "inet", encode: model.Plain},
	"net/netip.Prefix":         {sql: "cidr", encode: model.Plain},
	"net.IP":                   {sql: "inet", encode: model.Plain, nullable: true, nilable: true},
	"math/big.Int":             {sql: "numeric", encode: model.Text},

	"github.com/shopspring/decimal.Decimal":     {sql: "numeric", encode: model.Plain},
	"github.com/shopspring/decimal.NullDecimal": {sql: "numeric", encode: model.Plain, nullable: true},
	"github.com/cockroachdb/apd/v3.Decimal":     {sql: "numeric", encode: model.Plain},
	"github.com/cockroachdb/apd/v3.NullDecimal": {sql: "numeric", encode: model.Plain, nullable: true},
	"github.com/cockroachdb/apd/v2.Decimal":     {sql: "numeric", encode: model.Plain},
	"github.com/ericlagergren/decimal.Big":      {sql: "numeric", encode: model.Text},
	"github.com/google/uuid.NullUUID":           {sql: "uuid", encode: model.Plain, nullable: true},
	"github.com/gofrs/uuid/v5.NullUUID":         {sql: "uuid", encode: model.Plain, nullable: true},

	"database/sql.NullBool":    {sql: "boolean", encode: model.Plain, nullable: true},
	"database/sql.NullByte":    {sql: "smallint", encode: model.Plain, nullable: true},
	"database/sql.NullFloat64": {sql: "double precision", encode: model.Plain, nullable: true},
	"database/sql.NullInt16":   {sql: "smallint", encode: model.Plain, nullable: true},
	"database/sql.NullInt32":   {sql: "integer", encode: model.Plain, nullable: true},
	"database/sql.NullInt64":   {sql: "bigint", encode: model.Plain, nullable: true},
	"database/sql.NullString":  {sql: "text", encode: model.Plain, nullable: true},
	"database/sql.NullTime":    {sql: "timestamptz", encode: model.Plain, nullable: true},
}

// pgtypes are the types of github.com/jackc/pgx/v5/pgtype, by name. All can be NULL.
var pgtypes = map[string]string{
	"Bits": "varbit", "Bool": "boolean", "Box": "box", "Circle": "circle", "Date": "date",
	"Float4": "real", "Float8": "double precision", "Hstore": "hstore",
	"Int2": "smallint", "Int4": "integer", "Int8": "bigint", "Interval": "interval",
	"Line": "line", "Lseg": "lseg", "Numeric": "numeric", "Path": "path", "Point": "point", "Polygon": "polygon",
	"Text": "text", "Time": "time", "Timestamp": "timestamp", "Timestamptz": "timestamptz", "UUID": "uuid",
}

// knownType looks a type up by its name. Numbers of math/big that are no integers are not among them:
// the form that they write is not one that numeric reads.
func knownType(t types.Type) (columnType, bool) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return columnType{}, false
	}
	path, name := named.Obj().Pkg().Path(), named.Obj().Name()
	if isPgtype(t) && pgtypes[name] != "" {
		return columnType{sql: pgtypes[name], encode: model.Plain, nullable: true, nilable: isNilable(t)}, true
	}
	if isUUID(t) {
		return columnType{sql: "uuid", encode: model.UUID}, true
	}
	ct, ok := known[path+"."+name]
	return ct, ok
}

func isPgtype(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "github.com/jackc/pgx/v5/pgtype"
}

// nullOf returns the type argument of sql.Null[T].
func nullOf(t types.Type) (types.Type, bool) {
	if !IsNamed(t, "database/sql", "Null") {
		return nil, false
	}
	args := types.Unalias(t).(*types.Named).TypeArgs()
	if args.Len() != 1 {
		return nil, false
	}
	return args.At(0), true
}

// nullType is the type of sql.Null[T]: that of T, where database/sql can carry it.
func (f typing) nullType(elem types.Type) (columnType, *noType) {
	if valuer.of(types.Unalias(elem)).reach == byPointer {
		return columnType{}, &noType{"sql.Null does not call Value of *" + f.Display(elem), "use a pointer, *" + f.Display(elem)}
	}
	override := f.override
	f.override = ""
	ct, why := f.valueType(types.Unalias(elem))
	if why != nil && override == "" {
		return columnType{}, why
	}
	if why != nil || ct.encode != model.Plain {
		if override == "" {
			return columnType{}, &noType{"sql.Null[" + f.Display(elem) + "] has no column type", "use a pointer, or add type: to its db tag"}
		}
		ct = columnType{encode: model.Plain}
	}
	ct.nullable, ct.nilable, ct.convert = true, false, ""
	if override != "" {
		ct.sql = override
	}
	return ct, nil
}

// arrayType is the type of a slice: an array where pgx has one for its elements, bytes for bytes.
func arrayType(slice, elem types.Type) (columnType, bool) {
	ct := columnType{encode: model.Plain, nullable: true, nilable: true}
	elem = types.Unalias(elem)
	if b, ok := elem.Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
		ct.sql = "bytea"
		return ct, true
	}
	if p, ok := elem.(*types.Pointer); ok {
		elem = types.Unalias(p.Elem())
	}
	if IsNamed(elem, "time", "Duration") || isDatabaseValue(elem) && !isUUID(elem) && !isPgtype(elem) {
		return ct, false
	}
	of, ok := knownType(elem)
	if b, basic := elem.Underlying().(*types.Basic); !ok && basic && neverAColumn(elem, false) == nil {
		of, ok = basicType(b, elem), true
	}
	switch {
	case ok:
	case isBytes(elem):
		of, ok = columnType{sql: "bytea", encode: model.Plain}, true
	case isUUID(elem):
		of, ok = columnType{sql: "uuid", encode: model.UUID}, true
	}
	if !ok || of.encode != model.Plain && of.encode != model.UUID {
		return ct, false
	}
	ct.sql = of.sql + "[]"
	if !knownToPgx(slice, elem) {
		ct.encode = model.Array
	}
	return ct, true
}

// knownToPgx reports whether pgx can tell the array type of a slice from its Go type. A name of its own hides
// a slice from it, and so does that of an element's type, unless pgx has registered it.
func knownToPgx(slice, elem types.Type) bool {
	if _, named := slice.(*types.Named); named || isUUID(elem) {
		return false
	}
	_, named := elem.(*types.Named)
	_, known := knownType(elem)
	return !named || known
}
