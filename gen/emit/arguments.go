package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// recordArguments is what Record is called with: the context, then the columns that are written.
func recordArguments(e model.Effect) jen.Code {
	args := arguments(e)
	code := jen.Id(ctxName)
	switch {
	case len(args) == 0:
		return code
	case fits(args, tabWidth+len("return .Record(ctx, )")+len(e.EffectName())):
		return code.Op(",").Add(fill(args, 0))
	}
	return code.Op(",").Line().Add(fill(args, 2))
}

// insertArguments is what Insert is called with: the context, the targets, the columns that are written.
func insertArguments(e model.Effect) jen.Code {
	targets := make([]sized, len(e.Columns))
	for i, c := range e.Columns {
		targets[i] = sized{target(c), len("&stored.") + width(c)}
	}
	code := jen.Id(ctxName).Op(",").Line().Index().Any().Add(braced(targets, 2*tabWidth+len("[]any{},"), 2))
	if args := arguments(e); len(args) > 0 {
		code.Op(",").Line().Add(fill(args, 2))
	}
	return code
}

func arguments(e model.Effect) []sized {
	var args []sized
	for _, c := range e.Columns {
		if !c.Identity {
			args = append(args, sized{argument(c), len("row.") + width(c)})
		}
	}
	return args
}

// width is what the field and the conversions around it take.
func width(c model.Column) int {
	w := len(c.Field)
	if c.Encode != model.Plain && c.Encode != "" {
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
