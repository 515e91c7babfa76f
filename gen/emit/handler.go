package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// handler writes the definition that clients enqueue with, and the registration for workers.
func handler(f *jen.File, h model.Handler) error {
	definition, err := newDefinition(h)
	if err != nil {
		return err
	}
	f.Add(comment(fmt.Sprintf("%s is the %s %q: clients enqueue it, workers run it with [%s].",
		h.DefinitionName(), h.Kind, h.Name, h.Selector())))
	f.Var().Id(h.DefinitionName()).Op("=").Add(definition)
	f.Line()
	register(f, h)
	f.Line()
	return nil
}

// newDefinition writes runtime.NewStep[In, Out]("name", options).
func newDefinition(h model.Handler) (jen.Code, error) {
	in, err := typeExpr(h.In)
	if err != nil {
		return nil, fmt.Errorf("%s: input: %w", h.Selector(), err)
	}
	constructor := jen.Qual(runtimePath, "NewAction").Types(in)
	if h.Kind == model.Step {
		out, err := typeExpr(*h.Out)
		if err != nil {
			return nil, fmt.Errorf("%s: output: %w", h.Selector(), err)
		}
		constructor = jen.Qual(runtimePath, "NewStep").Types(in, out)
	}
	options := limits(h.Limits)
	if len(options) == 0 {
		return constructor.Call(jen.Lit(h.Name)), nil
	}
	args := jen.Lit(h.Name)
	for _, option := range options {
		args.Op(",").Line().Add(option)
	}
	return constructor.Params(args.Op(",").Line()), nil
}

// limits writes the options for the limits that the directive gives.
func limits(l model.Limits) []jen.Code {
	var options []jen.Code
	add := func(given bool, name string, value jen.Code) {
		if given {
			options = append(options, jen.Qual(runtimePath, name).Call(value))
		}
	}
	add(l.Timeout != 0, "WithTimeout", duration(l.Timeout))
	add(l.MaxAttempts != 0, "WithMaxAttempts", jen.Lit(l.MaxAttempts))
	add(l.Backoff != 0, "WithBackoff", duration(l.Backoff))
	if l.MaxReclaims != nil {
		add(true, "WithMaxReclaims", jen.Lit(*l.MaxReclaims))
	}
	add(l.MaxInput != 0, "WithMaxInput", jen.Op(fmt.Sprint(l.MaxInput)))
	add(l.MaxOutput != 0, "WithMaxOutput", jen.Op(fmt.Sprint(l.MaxOutput)))
	add(l.Queue != "", "WithQueue", jen.Lit(l.Queue))
	return options
}

// register writes the function that binds the implementation.
func register(f *jen.File, h model.Handler) {
	function := "RegisterAction"
	if h.Kind == model.Step {
		function = "RegisterStep"
	}
	registry := registryParam(h)
	params := []jen.Code{jen.Id(registry).Op("*").Qual(runtimePath, "Registry")}
	with, implementation := "", jen.Id(h.Func)
	if h.Recv != nil {
		name := receiverName(h.Recv.Type)
		params = append(params, jen.Id(name).Add(receiverType(*h.Recv)))
		with, implementation = name+"'s ", jen.Id(name).Dot(h.Func)
	}
	f.Add(comment(fmt.Sprintf("%s lets the workers of %s run [%s] with %s[%s].",
		h.RegisterName(), registry, h.DefinitionName(), with, h.Selector())))
	f.Func().Id(h.RegisterName()).Params(params...).Block(
		jen.Qual(runtimePath, function).Call(jen.Id(registry), jen.Id(h.DefinitionName()), implementation),
	)
}

func receiverType(r model.Recv) jen.Code {
	if r.Pointer {
		return jen.Op("*").Id(r.Type)
	}
	return jen.Id(r.Type)
}

// registryParam is r, except where that would hide the function that is being registered.
func registryParam(h model.Handler) string {
	if h.Recv == nil && h.Func == registryName {
		return "registry"
	}
	return registryName
}
