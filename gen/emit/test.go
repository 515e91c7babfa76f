package emit

import (
	"fmt"
	"maps"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// TestFileName is the name of the file with the tests that idem writes into a package.
const TestFileName = model.GeneratedTests

// faultTestPath is the package that generated tests call.
const faultTestPath = runtimePath + "/faulttest"

// Tests writes the package's idem_gen_test.go, or gives nil when no handler of it is tested. migrations is the
// folder with the SQL of the handlers' tables, relative to the package; empty when there is none.
func Tests(p *model.Package, migrations string) ([]byte, error) {
	f := newFile(p, testImports(p))
	tested := false
	for _, h := range p.Handlers {
		if h.Test == nil {
			continue
		}
		tested = true
		test, err := newTest(p, h, migrations)
		if err != nil {
			return nil, fmt.Errorf("the test of %s: %w", h.Selector(), err)
		}
		f.Add(comment(h.TestName() + " tries [" + h.Selector() + "] with each fault that can befall it."))
		f.Add(test)
		f.Line()
	}
	if !tested {
		return nil, nil
	}
	source, err := render(p, f)
	if err != nil {
		return nil, err
	}
	return Format(p, source)
}

// testImports are the imports that the tests may need.
func testImports(p *model.Package) map[string]string {
	real := map[string]string{runtimePath: "runtime", faultTestPath: "faulttest", "testing": "testing"}
	for _, h := range p.Handlers {
		if h.Test == nil {
			continue
		}
		maps.Copy(real, h.In.Imports)
		if h.Out != nil {
			maps.Copy(real, h.Out.Imports)
		}
		sampleImports(real, h.Test.Input)
		sampleImports(real, h.Test.Other)
	}
	return real
}

// test is one test while it is written: the handler, its types, and the names of what is declared in it.
type test struct {
	model.Handler
	in, out           *jen.Statement
	t, f, recv, input string
}

func newTest(p *model.Package, h model.Handler, migrations string) (jen.Code, error) {
	w := test{Handler: h, t: local(p, testName), f: local(p, faultsName), input: local(p, inputName)}
	if h.Recv != nil {
		w.recv = local(p, w.receiver())
	}
	var err error
	if w.in, err = typeExpr(h.In); err != nil {
		return nil, err
	}
	function, harness, types := "Action", "Handler", []jen.Code{w.in}
	if h.Kind == model.Step {
		if w.out, err = typeExpr(*h.Out); err != nil {
			return nil, err
		}
		function, harness, types = "Step", "StepHandler", append(types, w.out)
	}
	fields, err := w.fields(migrations)
	if err != nil {
		return nil, err
	}
	run := jen.Qual(faultTestPath, function).Call(jen.Id(w.t), jen.Id(h.DefinitionName()),
		jen.Qual(faultTestPath, harness).Types(types...).Custom(block, fields...))
	return jen.Func().Id(h.TestName()).Params(jen.Id(w.t).Op("*").Qual("testing", "T")).Block(run), nil
}

// receiver is the variable for the receiver, which must not be one of the others.
func (w test) receiver() string {
	if name := receiverName(w.Recv.Type); name != w.f && name != w.t {
		return name
	}
	return recvFallback
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
	return jen.Func().Params(jen.Id(w.f).Op("*").Qual(faultTestPath, "F")).Params(
		jen.Func().Params(jen.Qual(runtimePath, "Context"), w.in).Add(result), w.in,
	).Block(append(before, jen.Return(handler, input))...), nil
}
