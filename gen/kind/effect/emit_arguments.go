package effect

import (
	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/emit"
)

// recordArguments is what Record is called with: the context, then the columns that are written.
func recordArguments(e Effect) jen.Code {
	args := arguments(e)
	code := jen.Id(emit.CtxName)
	switch {
	case len(args) == 0:
		return code
	case emit.Fits(args, emit.TabWidth+len("return .Record(ctx, )")+len(e.EffectName())):
		return code.Op(",").Add(emit.Fill(args, 0))
	}
	return code.Op(",").Line().Add(emit.Fill(args, 2))
}

// insertArguments is what Insert is called with: the context, the targets, the columns that are written.
func insertArguments(e Effect) jen.Code {
	targets := make([]emit.Sized, len(e.Columns))
	for i, c := range e.Columns {
		targets[i] = emit.Sized{Code: emit.Target(c), Width: len("&stored.") + emit.Width(c)}
	}
	code := jen.Id(emit.CtxName).Op(",").Line().Index().Any().Add(emit.Braced(targets, 2*emit.TabWidth+len("[]any{},"), 2))
	if args := arguments(e); len(args) > 0 {
		code.Op(",").Line().Add(emit.Fill(args, 2))
	}
	return code
}

func arguments(e Effect) []emit.Sized {
	var args []emit.Sized
	for _, c := range e.Columns {
		if !c.Identity {
			args = append(args, emit.Sized{Code: emit.Argument(c), Width: len("row.") + emit.Width(c)})
		}
	}
	return args
}
