package handler

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

var _ emit.Tested = Handler{}

// HasTest reports whether a test is generated for the handler.
func (h Handler) HasTest() bool { return h.Test != nil }

// Untested says what it takes to get a test.
func (h Handler) Untested() string {
	return fmt.Sprintf("%s: no test for %s: write func %s(f *faulttest.F) %s, or one that gives the input as"+
		" well, in a test file, and name it with fixture=%[3]s", h.Pos, h.Selector(), h.FixtureName(), h.Recv)
}

// TestImports are the imports of the handler's types and of its made up inputs.
func (h Handler) TestImports() map[string]string {
	real := h.Imports()
	sampleImports(real, h.Test.Input)
	sampleImports(real, h.Test.Other)
	return real
}

// EmitTest writes the handler's test.
func (h Handler) EmitTest(f *emit.File, migrations string) error {
	test, err := newTest(f.Package, h, migrations)
	if err != nil {
		return err
	}
	f.Add(emit.Comment(h.TestName() + " tries [" + h.Selector() + "] with each fault that can befall it."))
	f.Add(test)
	f.Line()
	return nil
}

// test is one test while it is written: the handler, its types, and the names of what is declared in it.
type test struct {
	Handler
	in, out           *jen.Statement
	t, f, recv, input string
}

func newTest(p *model.Package, h Handler, migrations string) (jen.Code, error) {
	w := test{Handler: h, t: emit.Local(p, emit.TestName), f: emit.Local(p, emit.FaultsName), input: emit.Local(p, emit.InputName)}
	if h.Recv != nil {
		w.recv = emit.Local(p, w.receiver())
	}
	var err error
	if w.in, err = emit.TypeExpr(h.In); err != nil {
		return nil, err
	}
	function, harness, types := "Action", "Handler", []jen.Code{w.in}
	if h.Kind == Step {
		if w.out, err = emit.TypeExpr(*h.Out); err != nil {
			return nil, err
		}
		function, harness, types = "Step", "StepHandler", append(types, w.out)
	}
	fields, err := w.fields(migrations)
	if err != nil {
		return nil, err
	}
	run := jen.Qual(model.FaultTestPath, function).Call(jen.Id(w.t), jen.Id(h.DefinitionName()),
		jen.Qual(model.FaultTestPath, harness).Types(types...).Custom(emit.Block, fields...))
	return jen.Func().Id(h.TestName()).Params(jen.Id(w.t).Op("*").Qual("testing", "T")).Block(run), nil
}

// receiver is the variable for the receiver, which must not be one of the others.
func (w test) receiver() string {
	if name := emit.ReceiverName(w.Recv.Type); name != w.f && name != w.t {
		return name
	}
	return emit.RecvFallback
}

// fields are those of the harness's description of the handler.
func (w test) fields(migrations string) (fields []jen.Code, err error) {
	add := func(name string, value jen.Code) {
		fields = append(fields, jen.Id(name).Op(":").Add(value))
	}
	if migrations != "" {
		add("Migrations", jen.Lit(migrations))
	}
	if w.Test.Fixture != "" {
		fixture, err := w.fixture()
		if err != nil {
			return nil, err
		}
		add("Fixture", fixture)
	} else {
		input, err := sample(*w.Test.Input, 2)
		if err != nil {
			return nil, err
		}
		add("Run", jen.Id(w.Func))
		add("Input", input)
	}
	if w.Test.Other != nil {
		other, err := sample(*w.Test.Other, 2)
		if err != nil {
			return nil, err
		}
		add("Other", other)
	}
	return fields, nil
}

// fixture writes the function that gives the handler and its input, by way of the author's fixture.
func (w test) fixture() (jen.Code, error) {
	call := jen.Id(w.Test.Fixture).Call(jen.Id(w.f))
	handler, input := jen.Id(w.Func), jen.Id(w.input)
	var before []jen.Code
	switch {
	case w.Recv == nil && w.Test.Input == nil:
		input = call
	case w.Recv == nil:
		before = append(before, call)
	case w.Test.Input == nil:
		handler = jen.Id(w.recv).Dot(w.Func)
		before = append(before, jen.List(jen.Id(w.recv), jen.Id(w.input)).Op(":=").Add(call))
	default:
		handler = call.Dot(w.Func)
	}
	if w.Test.Input != nil {
		made, err := sample(*w.Test.Input, 3)
		if err != nil {
			return nil, err
		}
		input = made
	}
	result := jen.Error()
	if w.out != nil {
		result = jen.Params(w.out, jen.Error())
	}
	return jen.Func().Params(jen.Id(w.f).Op("*").Qual(model.FaultTestPath, "F")).Params(
		jen.Func().Params(emit.Runtime("Context"), w.in).Add(result), w.in,
	).Block(append(before, jen.Return(handler, input))...), nil
}
