package handler

import (
	"fmt"
	"maps"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

var _ emit.Declaration = Handler{}

// Imports are those of the input's and the output's types.
func (h Handler) Imports() map[string]string {
	real := maps.Clone(h.In.Imports)
	if real == nil {
		real = map[string]string{}
	}
	if h.Out != nil {
		maps.Copy(real, h.Out.Imports)
	}
	return real
}

// Params are the registry and the receiver.
func (h Handler) Params(*model.Package) []string {
	params := []string{registryParam(h)}
	if h.Recv != nil {
		params = append(params, emit.ReceiverName(h.Recv.Type))
	}
	return params
}

// Emit writes the definition that clients enqueue with, and the registration for workers.
func (h Handler) Emit(f *emit.File) error {
	definition, err := newDefinition(h)
	if err != nil {
		return err
	}
	f.Add(emit.Comment(fmt.Sprintf("%s is the %s %q: clients enqueue it, workers run it with [%s].",
		h.DefinitionName(), h.Kind, h.Name, h.Selector())))
	f.Var().Id(h.DefinitionName()).Op("=").Add(definition)
	f.Line()
	register(f, h)
	f.Line()
	return nil
}

// newDefinition writes runtime.NewStep[In, Out]("name", options).
func newDefinition(h Handler) (jen.Code, error) {
	in, err := emit.TypeExpr(h.In)
	if err != nil {
		return nil, fmt.Errorf("%s: input: %w", h.Selector(), err)
	}
	constructor := emit.Runtime("NewAction").Types(in)
	if h.Kind == Step {
		out, err := emit.TypeExpr(*h.Out)
		if err != nil {
			return nil, fmt.Errorf("%s: output: %w", h.Selector(), err)
		}
		constructor = emit.Runtime("NewStep").Types(in, out)
	}
	options := limitOptions(h.Limits)
	if len(options) == 0 {
		return constructor.Call(jen.Lit(h.Name)), nil
	}
	args := jen.Lit(h.Name)
	for _, option := range options {
		args.Op(",").Line().Add(option)
	}
	return constructor.Params(args.Op(",").Line()), nil
}

// limitOptions writes the options for the limits that the directive gives.
func limitOptions(l Limits) []jen.Code {
	var options []jen.Code
	add := func(given bool, name string, value jen.Code) {
		if given {
			options = append(options, emit.Call(name, value))
		}
	}
	add(l.Timeout != 0, "WithTimeout", emit.Duration(l.Timeout))
	add(l.MaxAttempts != 0, "WithMaxAttempts", jen.Lit(l.MaxAttempts))
	add(l.Backoff != 0, "WithBackoff", emit.Duration(l.Backoff))
	if l.MaxReclaims != nil {
		add(true, "WithMaxReclaims", jen.Lit(*l.MaxReclaims))
	}
	add(l.MaxInput != 0, "WithMaxInput", jen.Op(fmt.Sprint(l.MaxInput)))
	add(l.MaxOutput != 0, "WithMaxOutput", jen.Op(fmt.Sprint(l.MaxOutput)))
	add(l.Queue != "", "WithQueue", jen.Lit(l.Queue))
	return options
}

// register writes the function that binds the implementation.
func register(f *emit.File, h Handler) {
	function := "RegisterAction"
	if h.Kind == Step {
		function = "RegisterStep"
	}
	registry := registryParam(h)
	params := []jen.Code{jen.Id(registry).Op("*").Add(emit.Runtime("Registry"))}
	with, implementation := "", jen.Id(h.Func)
	if h.Recv != nil {
		name := emit.ReceiverName(h.Recv.Type)
		params = append(params, jen.Id(name).Add(emit.ReceiverType(*h.Recv)))
		with, implementation = name+"'s ", jen.Id(name).Dot(h.Func)
	}
	f.Add(emit.Comment(fmt.Sprintf("%s lets the workers of %s run [%s] with %s[%s].",
		h.RegisterName(), registry, h.DefinitionName(), with, h.Selector())))
	f.Func().Id(h.RegisterName()).Params(params...).Block(
		emit.Call(function, jen.Id(registry), jen.Id(h.DefinitionName()), implementation),
	)
}

// registryParam is r, except where that would hide the function that is being registered.
func registryParam(h Handler) string {
	if h.Recv == nil && h.Func == emit.RegistryName {
		return "registry"
	}
	return emit.RegistryName
}
