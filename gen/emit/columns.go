package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// argument writes how a column's field becomes a statement argument.
func argument(c model.Column) jen.Code {
	field := jen.Id(rowName).Dot(c.Field)
	switch {
	case c.Default != "" && !c.Pointer:
		return defaultArgument(c, field)
	case c.Encode == model.Plain || c.Encode == "":
		return convert(c, field)
	case c.Encode == model.JSON:
		return call("JSON", field)
	case c.Encode == model.Array:
		return call("Array", field)
	case c.Pointer:
		return call("Opt"+encoder(c.Encode), field)
	case c.Encode == model.Text:
		return call("Text", jen.Op("&").Add(field)) // the method may be the pointer's
	}
	return call(encoder(c.Encode), field)
}

// defaultArgument gives NULL for a zero value.
func defaultArgument(c model.Column, field *jen.Statement) jen.Code {
	switch c.Encode {
	case model.Plain, "":
		return call("OrDefault", convert(c, field))
	case model.JSON:
		return call("JSON", call("OrDefault", field))
	}
	return call("Opt"+encoder(c.Encode), call("NonZero", field))
}

func convert(c model.Column, field *jen.Statement) *jen.Statement {
	switch {
	case c.Convert == "":
		return field
	case c.Pointer:
		return jen.Parens(jen.Op("*").Id(c.Convert)).Call(field)
	}
	return jen.Id(c.Convert).Call(field)
}

// target writes what a stored column is scanned into.
func target(c model.Column) jen.Code {
	field := jen.Op("&").Id(storedName).Dot(c.Field)
	switch {
	case c.Encode == model.Plain || c.Encode == model.Array || c.Encode == "":
		return field
	case c.Encode == model.JSON:
		return call("ScanJSON", field)
	case c.Pointer:
		return call("OptScan"+encoder(c.Encode), field)
	}
	return call("Scan"+encoder(c.Encode), field)
}

// encoder is the word for an encoding in the names of the runtime's functions.
func encoder(e model.Encoding) string {
	switch e {
	case model.UUID:
		return "UUID"
	case model.Uint64:
		return "Uint64"
	}
	return "Text"
}

func call(function string, args ...jen.Code) *jen.Statement {
	return jen.Qual(implPath, function).Call(args...)
}
