package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// argument writes how a column's field becomes a statement argument.
func argument(c model.Column) jen.Code {
	field := jen.Id(rowName).Dot(c.Field)
	takesDefault := c.Default != "" && !c.Pointer
	if c.Encode == model.Plain || c.Encode == "" {
		return plainArgument(c, field, takesDefault)
	}
	if takesDefault {
		field = call("NonZero", field)
	}
	optional := c.Pointer || takesDefault
	switch {
	case c.Encode == model.JSON:
		return call("JSON", field)
	case optional:
		return call("Opt"+encoder(c.Encode), field)
	case c.Encode == model.Text:
		return call("Text", jen.Op("&").Add(field)) // the method may be the pointer's
	}
	return call(encoder(c.Encode), field)
}

func plainArgument(c model.Column, field *jen.Statement, takesDefault bool) jen.Code {
	if c.Convert != "" {
		converter := jen.Id(c.Convert)
		if c.Pointer {
			converter = jen.Parens(jen.Op("*").Id(c.Convert))
		}
		field = converter.Call(field)
	}
	if takesDefault {
		return call("OrDefault", field)
	}
	return field
}

// target writes what a stored column is scanned into.
func target(c model.Column) jen.Code {
	field := jen.Op("&").Id(storedName).Dot(c.Field)
	switch {
	case c.Encode == model.Plain || c.Encode == "":
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
	return jen.Qual(runtimePath, function).Call(args...)
}
