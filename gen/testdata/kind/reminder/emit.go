package reminder

import (
	"errors"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

var (
	_ emit.Declaration = Reminder{}
	_ emit.Tested      = Reminder{}
)

// Imports are those of the address.
func (r Reminder) Imports() map[string]string { return map[string]string{"net/url": "url"} }

// Params are none.
func (r Reminder) Params(*model.Package) []string { return nil }

// Emit writes the time and the address. A reminder that is called broken has none.
func (r Reminder) Emit(f *emit.File) error {
	if r.Name == "broken" {
		return errors.New("the reminder is broken")
	}
	f.Add(emit.Comment(r.afterName() + " is when to look."))
	f.Const().Id(r.afterName()).Op("=").Add(emit.Duration(r.After))
	f.Line()
	f.Add(emit.Comment(r.urlName() + " is where to look."))
	f.Var().Id(r.urlName()).Op("=").Qual("net/url", "URL").Values(jen.Id("Path").Op(":").Lit(r.Name))
	f.Line()
	return nil
}

// HasTest is true of all reminders.
func (r Reminder) HasTest() bool { return true }

// Untested says nothing.
func (r Reminder) Untested() string { return "" }

// TestImports are none beside testing.
func (r Reminder) TestImports() map[string]string { return nil }

// EmitTest writes a test of the address.
func (r Reminder) EmitTest(f *emit.File, _ string) error {
	t := emit.Local(f.Package, emit.TestName)
	f.Func().Id("Test" + r.urlName()).Params(jen.Id(t).Op("*").Qual("testing", "T")).Block(
		jen.If(jen.Id(r.urlName()).Dot("Path").Op("==").Lit("")).Block(jen.Id(t).Dot("Error").Call(jen.Lit("nowhere to look"))),
	)
	return nil
}
