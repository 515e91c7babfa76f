package provider

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

// providerPath is the package whose calls are made once.
const providerPath = model.RuntimePath + "/provider"

// The further names of parameters in the functions of a provider.
const (
	reqName  = "req"
	optsName = "opts"
)

// providerCode is one provider while it is written.
type providerCode struct {
	Provider
	recv         string // what stands for the receiver; empty for a function
	req, receipt *jen.Statement
}

var _ emit.Declaration = Provider{}

// Imports are those of the request's and the receipt's types, and what calls are made with.
func (p Provider) Imports() map[string]string {
	real := map[string]string{providerPath: "provider"}
	maps.Copy(real, p.Req.Imports)
	maps.Copy(real, p.Receipt.Imports)
	return real
}

// Params are those of a call, of the registration and the receiver.
func (p Provider) Params(of *model.Package) []string {
	params := []string{reqName, optsName, emit.RegistryName}
	if p.Recv != nil {
		params = append(params, providerReceiver(of, p))
	}
	return params
}

// Emit writes the definition, and what makes its calls and takes them back.
func (p Provider) Emit(f *emit.File) (err error) {
	w := providerCode{Provider: p}
	if p.Recv != nil {
		w.recv = providerReceiver(f.Package, p)
	}
	if w.req, err = emit.TypeExpr(p.Req); err != nil {
		return fmt.Errorf("%s: %w", p.Selector(), err)
	}
	if w.receipt, err = emit.TypeExpr(p.Receipt); err != nil {
		return fmt.Errorf("%s: %w", p.Selector(), err)
	}
	for _, code := range w.declarations() {
		f.Add(code)
		f.Line()
	}
	return nil
}

func (w providerCode) declarations() []jen.Code {
	declarations := []jen.Code{w.definition(), w.call()}
	if w.Undo != nil {
		declarations = append(declarations, w.undo(), w.registerUndo())
	}
	return declarations
}

// definition writes a variable, or for a method what gives the definition for a receiver.
func (w providerCode) definition() jen.Code {
	if w.Recv == nil {
		return documented(w.DefinitionName()+" is the provider "+w.summary()+".",
			jen.Var().Id(w.DefinitionName()).Op("=").Add(w.define()))
	}
	result := jen.Op("*").Qual(providerPath, "Provider").Types(w.req, w.receipt)
	return documented(w.DefinitionName()+" gives the provider "+w.summary()+".",
		w.function(w.DefinitionName()).Params().Add(result).Block(jen.Return(w.define())))
}

// define writes provider.Define("name", function, options).
func (w providerCode) define() jen.Code {
	args := jen.Lit(w.Name).Op(",").Add(w.value(Companion{Func: w.Func, Method: w.Recv != nil}))
	options := w.options()
	for _, option := range options {
		args.Op(",").Line().Add(option)
	}
	if len(options) > 0 {
		args.Op(",").Line()
	}
	return jen.Qual(providerPath, "Define").Params(args)
}

func (w providerCode) options() []jen.Code {
	var options []jen.Code
	add := func(name string, value jen.Code) {
		options = append(options, jen.Qual(providerPath, name).Call(value))
	}
	if w.Window != 0 {
		add("WithWindow", emit.Duration(w.Window))
	}
	if w.Lookup != nil {
		add("WithLookup", w.value(*w.Lookup))
	}
	if w.Undo != nil {
		add("WithUndo", w.value(*w.Undo))
	}
	return options
}

func (w providerCode) call() jen.Code {
	return documented(w.CallName()+" calls ["+w.Selector()+"] once per run and node, and gives the receipt that is stored for it.",
		w.function(w.CallName()).Params(
			jen.Id(emit.CtxName).Add(emit.Runtime("Context")), jen.Id(reqName).Add(w.req), w.callOptions(),
		).Params(w.receipt, jen.Error()).Block(
			jen.Return(w.defined().Dot("Call").Call(jen.Id(emit.CtxName), jen.Id(reqName), jen.Id(optsName).Op("..."))),
		))
}

func (w providerCode) undo() jen.Code {
	return documented(w.UndoName()+" takes a call of ["+w.CallSelector()+"] back with ["+w.SelectorOf(*w.Undo)+"], once.",
		w.function(w.UndoName()).Params(jen.Id(emit.CtxName).Add(emit.Runtime("Context")), w.callOptions()).Error().Block(
			jen.Return(w.defined().Dot("Undo").Call(jen.Id(emit.CtxName), jen.Id(optsName).Op("..."))),
		))
}

func (w providerCode) registerUndo() jen.Code {
	params, with := []jen.Code{jen.Id(emit.RegistryName).Op("*").Add(emit.Runtime("Registry"))}, ""
	if w.Recv != nil {
		params, with = append(params, jen.Id(w.recv).Add(emit.ReceiverType(*w.Recv))), " by "+w.recv
	}
	return documented(w.RegisterUndoName()+" lets the workers of "+emit.RegistryName+" take calls of ["+w.CallSelector()+"] back"+with+
		" when an operator asks for it.",
		jen.Func().Id(w.RegisterUndoName()).Params(params...).Block(
			jen.Qual(providerPath, "RegisterUndo").Call(jen.Id(emit.RegistryName), w.defined()),
		))
}

// function begins a function, or a method of the receiver.
func (w providerCode) function(name string) *jen.Statement {
	if w.Recv == nil {
		return jen.Func().Id(name)
	}
	return jen.Func().Params(jen.Id(w.recv).Add(emit.ReceiverType(*w.Recv))).Id(name)
}

// defined refers to the definition.
func (w providerCode) defined() *jen.Statement {
	if w.Recv == nil {
		return jen.Id(w.DefinitionName())
	}
	return jen.Id(w.recv).Dot(w.DefinitionName()).Call()
}

// value refers to a function or to the receiver's method.
func (w providerCode) value(f Companion) *jen.Statement {
	if f.Method {
		return jen.Id(w.recv).Dot(f.Func)
	}
	return jen.Id(f.Func)
}

func (w providerCode) callOptions() jen.Code {
	return jen.Id(optsName).Op("...").Qual(providerPath, "CallOption")
}

// summary says what the definition is made of.
func (w providerCode) summary() string {
	text := `"` + w.Name + `": [` + w.Selector() + "]"
	if w.Window != 0 {
		text += ", which honours a key for " + shortDuration(w.Window)
	}
	var with []string
	if w.Lookup != nil {
		with = append(with, "the lookup ["+w.SelectorOf(*w.Lookup)+"]")
	}
	if w.Undo != nil {
		with = append(with, "the undo ["+w.SelectorOf(*w.Undo)+"]")
	}
	if len(with) > 0 {
		text += ", with " + emit.Enumerate(with)
	}
	return text
}

// shortDuration writes a time without the parts that are zero at its end: 24h.
func shortDuration(d time.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// documented writes a declaration with its comment.
func documented(text string, declaration jen.Code) jen.Code {
	return jen.Add(emit.Comment(text)).Line().Add(declaration)
}

// providerReceiver is what stands for the receiver in the generated methods, in which nothing of the package may be
// hidden.
func providerReceiver(p *model.Package, v Provider) string {
	return emit.Local(p, emit.ReceiverName(v.Recv.Type))
}
