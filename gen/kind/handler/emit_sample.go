package handler

import (
	"maps"
	"regexp"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

// sample writes a value: a composite literal in one line, if it fits, else with a line for each item.
func sample(s Sample, indent int) (*jen.Statement, error) {
	code, err := emit.TypeExpr(model.Type{Expr: s.Head, Imports: s.Imports})
	if err != nil {
		return nil, err
	}
	if s.Composite {
		items, err := sampleItems(s.Items, indent+1)
		if err != nil {
			return nil, err
		}
		braces := jen.Options{Open: "{", Close: "}", Separator: ","}
		braces.Multi = indent*emit.TabWidth+sampleWidth(s)+len("Migrations: ") > emit.LineWidth
		code.Custom(braces, items...)
	}
	tail, err := emit.TypeExpr(model.Type{Expr: s.Tail, Imports: s.Imports})
	if err != nil {
		return nil, err
	}
	return code.Add(tail), nil
}

func sampleItems(items []SampleItem, indent int) ([]jen.Code, error) {
	var codes []jen.Code
	for _, item := range items {
		value, err := sample(item.Value, indent)
		if err != nil {
			return nil, err
		}
		if item.Key != nil {
			key, err := sample(*item.Key, indent)
			if err != nil {
				return nil, err
			}
			value = key.Op(":").Add(value)
		}
		codes = append(codes, value)
	}
	return codes, nil
}

// sampleWidth is what a value takes in one line, at least about.
func sampleWidth(s Sample) int {
	width := textWidth(s.Head) + textWidth(s.Tail)
	if s.Composite {
		width += len("{}")
	}
	for _, item := range s.Items {
		if item.Key != nil {
			width += sampleWidth(*item.Key) + len(": ")
		}
		width += sampleWidth(item.Value) + len(", ")
	}
	return width
}

// importPathIn finds what stands for a package's name, up to the last element of its path.
var importPathIn = regexp.MustCompile(`\$\{([^}]*/)?|\}`)

func textWidth(expr string) int {
	return utf8.RuneCountInString(importPathIn.ReplaceAllString(expr, ""))
}

// sampleImports adds the imports of a value, which may be nil.
func sampleImports(real map[string]string, s *Sample) {
	if s == nil {
		return
	}
	maps.Copy(real, s.Imports)
	for _, item := range s.Items {
		sampleImports(real, item.Key)
		sampleImports(real, &item.Value)
	}
}
