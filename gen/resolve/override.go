package resolve

import (
	"go/types"

	"github.com/idem-go/idem/gen/model"
	"github.com/idem-go/idem/gen/sqltext"
)

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
	case ct.encode == model.Text, ct.encode == model.Array:
	case ct.encode == model.UUID && hasText(t):
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

// isText reports whether a value is JSON text already: a string, or what a Value method gives.
func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 || isDatabaseValue(t)
}
