package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"
)

// sized is a piece of code with the width that it takes, at least about.
type sized struct {
	code  jen.Code
	width int
}

// tabWidth is what a tab counts for when lines are filled.
const tabWidth = 4

// fits reports whether the items stand in one line behind so many columns.
func fits(items []sized, used int) bool {
	for _, item := range items {
		used += item.width + len(", ")
	}
	return used <= commentWidth
}

// fill writes items with commas between them, and breaks the line before one that would pass its end.
func fill(items []sized, indent int) *jen.Statement {
	code, column := &jen.Statement{}, indent*tabWidth
	for i, item := range items {
		if i > 0 {
			code.Op(",")
			if column+item.width > commentWidth {
				code.Line()
				column = indent * tabWidth
			}
		}
		code.Add(item.code)
		column += item.width + len(", ")
	}
	return code
}

// braced writes items in braces: in the line, if they fit behind so many columns, else in lines of their own.
func braced(items []sized, used, indent int) *jen.Statement {
	if fits(items, used) {
		return jen.Op("{").Add(fill(items, 0)).Op("}")
	}
	return jen.Op("{").Line().Add(fill(items, indent+1)).Op(",").Line().Op("}")
}

// block is a composite literal with a field a line.
var block = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

func stringSlice(items []string, used int) jen.Code {
	literals := make([]sized, len(items))
	for i, item := range items {
		literal := strconv.Quote(item)
		literals[i] = sized{jen.Op(literal), len(literal)}
	}
	return jen.Index().String().Add(braced(literals, used+len("[]string{},")+tabWidth, 1))
}

func intSlice(items []int) jen.Code {
	literals := make([]jen.Code, len(items))
	for i, item := range items {
		literals[i] = jen.Lit(item)
	}
	return jen.Index().Int().Values(literals...)
}
