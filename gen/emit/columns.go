package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// Argument writes how a column's field becomes a statement argument.
func Argument(c model.Column) jen.Code {
	field := jen.Id(RowName).Dot(c.Field)
	switch {
	case c.Default != "" && !c.Pointer:
		return defaultArgument(c, field)
	case c.Encode == model.Plain || c.Encode == "":
		return convert(c, field)
	case c.Encode == model.Address:
		return jen.Op("&").Add(field)
	case c.Encode == model.JSON:
		return Call("JSON", field)
	case c.Encode == model.Array:
		return Call("Array", field)
	case c.Pointer:
		return Call("Opt"+encoder(c.Encode), field)
	case c.Encode == model.Text:
		return Call("Text", jen.Op("&").Add(field)) // the method may be the pointer's
	}
	return Call(encoder(c.Encode), field)
}

// defaultArgument is NULL for a zero value.
func defaultArgument(c model.Column, field *jen.Statement) jen.Code {
	switch c.Encode {
	case model.Plain, "":
		return Call("OrDefault", convert(c, field))
	case model.Address:
		return Call("NonZero", field)
	case model.JSON:
		return Call("JSON", Call("OrDefault", field))
	}
	return Call("Opt"+encoder(c.Encode), Call("NonZero", field))
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

// Target writes what a stored column is scanned into.
func Target(c model.Column) jen.Code {
	field := jen.Op("&").Id(StoredName).Dot(c.Field)
	switch {
	case c.Encode == model.Plain || c.Encode == model.Address || c.Encode == model.Array || c.Encode == "":
		return field
	case c.Encode == model.JSON:
		return Call("ScanJSON", field)
	case c.Pointer:
		return Call("OptScan"+encoder(c.Encode), field)
	}
	return Call("Scan"+encoder(c.Encode), field)
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

// Width is what the field and the conversions around it take.
func Width(c model.Column) int {
	w := len(c.Field)
	switch c.Encode {
	case model.Plain, "":
	case model.Address:
		w += len("&")
	default:
		w += len("runtime.OptScanUint64()")
	}
	if c.Default != "" {
		w += len("idemimpl.OrDefault()")
	}
	if c.Convert != "" {
		w += len("(*)()") + len(c.Convert)
	}
	return w
}

// Runtime refers to what the runtime declares under a name. [model.RuntimePackage] says in which of its packages.
func Runtime(name string) *jen.Statement { return jen.Qual(model.RuntimePackage(name), name) }

// Call calls a function of the runtime.
func Call(function string, args ...jen.Code) *jen.Statement { return Runtime(function).Call(args...) }
