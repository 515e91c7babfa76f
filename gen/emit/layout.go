package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"
)

// Sized is a piece of code with the width that it takes, at least about.
type Sized struct {
	Code  jen.Code
	Width int
}

// TabWidth is what a tab counts for when lines are filled.
const TabWidth = 4

// Fits reports whether the items stand in one line behind so many columns.
func Fits(items []Sized, used int) bool {
	for _, item := range items {
		used += item.Width + len(", ")
	}
	return used <= LineWidth
}

// Fill writes items with commas between them, and breaks the line before one that would pass its end.
func Fill(items []Sized, indent int) *jen.Statement {
	code, column := &jen.Statement{}, indent*TabWidth
	for i, item := range items {
		if i > 0 {
			code.Op(",")
			if column+item.Width > LineWidth {
				code.Line()
				column = indent * TabWidth
			}
		}
		code.Add(item.Code)
		column += item.Width + len(", ")
	}
	return code
}

// Braced writes items in braces: in the line, if they fit behind so many columns, else in lines of their own.
func Braced(items []Sized, used, indent int) *jen.Statement {
	if Fits(items, used) {
		return jen.Op("{").Add(Fill(items, 0)).Op("}")
	}
	return jen.Op("{").Line().Add(Fill(items, indent+1)).Op(",").Line().Op("}")
}

// Block is a composite literal with a field a line.
var Block = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

// StringSlice writes a []string behind so many columns.
func StringSlice(items []string, used int) jen.Code {
	literals := make([]Sized, len(items))
	for i, item := range items {
		literal := strconv.Quote(item)
		literals[i] = Sized{jen.Op(literal), len(literal)}
	}
	return jen.Index().String().Add(Braced(literals, used+len("[]string{},")+TabWidth, 1))
}

// IntSlice writes a []int in one line.
func IntSlice(items []int) jen.Code {
	literals := make([]jen.Code, len(items))
	for i, item := range items {
		literals[i] = jen.Lit(item)
	}
	return jen.Index().Int().Values(literals...)
}
