package effect

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

var _ emit.Declaration = Effect{}

// Imports are none but those that all have.
func (e Effect) Imports() map[string]string { return nil }

// Params are none but those that several kinds have.
func (e Effect) Params(*model.Package) []string { return nil }

// Emit writes the description of the table and the functions that write its rows.
func (e Effect) Emit(f *emit.File) error {
	s := newStatements(e)
	f.Add(emit.Comment(effectSummary(e), effectRule(e)))
	f.Var().Id(e.EffectName()).Op("=").Add(emit.Runtime("Effect")).Custom(emit.Block, effectFields(e, s)...)
	f.Line()
	record(f, e)
	insert(f, e)
	return nil
}

func effectFields(e Effect, s statements) []jen.Code {
	fields := []jen.Code{
		jen.Id("Table").Op(":").Add(emit.Text(s.table)),
		jen.Id("Columns").Op(":").Add(emit.StringSlice(s.columns, len("Columns: "))),
	}
	if len(s.key) > 0 {
		fields = append(fields, jen.Id("Key").Op(":").Add(emit.IntSlice(s.key)))
	}
	if len(e.Key) > 0 {
		fields = append(fields, jen.Id("Business").Op(":").True())
	}
	if e.OnConflict == DoUpdate {
		fields = append(fields, jen.Id("Updates").Op(":").True())
	}
	fields = append(fields,
		jen.Id("Guard").Op(":").Lit(s.guard),
		jen.Id("InsertSQL").Op(":").Add(emit.Text(s.insert)),
	)
	return append(append(fields, emit.GroupField(s.group)...),
		jen.Id("ReturningSQL").Op(":").Add(emit.Text(s.returning)),
		jen.Id("SelectSQL").Op(":").Add(emit.Text(s.selects)),
	)
}

// record writes the function that keeps a row until the completion.
func record(f *emit.File, e Effect) {
	f.Add(emit.Comment(e.RecordName() + " keeps the row and writes it in the transaction that completes the step:" +
		" both commit, or neither."))
	f.Func().Id(e.RecordName()).Params(rowParams(e)...).Error().Block(
		jen.Return(jen.Id(e.EffectName()).Dot("Record").Params(recordArguments(e))),
	)
	f.Line()
}

// insert writes the function that writes a row at once and returns it as stored.
func insert(f *emit.File, e Effect) {
	f.Add(emit.Comment(e.InsertName() + " writes the row now, inside the completion transaction, and returns it as stored," +
		" with the columns that the database fills in. inserted is false when " + earlier(e) + "."))
	f.Func().Id(e.InsertName()).Params(rowParams(e)...).Params(
		jen.Id(emit.StoredName).Id(e.Type), jen.Id(emit.InsertedName).Bool(), jen.Id(emit.ErrName).Error(),
	).Block(
		jen.List(jen.Id(emit.InsertedName), jen.Id(emit.ErrName)).Op("=").Id(e.EffectName()).Dot("Insert").Params(
			insertArguments(e),
		),
		jen.Return(jen.Id(emit.StoredName), jen.Id(emit.InsertedName), jen.Id(emit.ErrName)),
	)
	f.Line()
}

func rowParams(e Effect) []jen.Code {
	return []jen.Code{jen.Id(emit.CtxName).Add(emit.Runtime("Context")), jen.Id(emit.RowName).Id(e.Type)}
}

// effectSummary and effectRule document the key, for people who read generated code.
func effectSummary(e Effect) string {
	per := e.KeyColumns()
	if len(e.Key) == 0 {
		per = append([]string{"run"}, per[1:]...)
	}
	table := e.Table
	if e.Schema != "" {
		table = e.Schema + "." + e.Table
	}
	return fmt.Sprintf("%s writes one row of %q per %s.", e.EffectName(), table, emit.Enumerate(per))
}

func effectRule(e Effect) string {
	again := "A second write under it with the same payload changes nothing; one"
	if e.OnConflict == DoUpdate {
		again = "Another run that writes under it updates " + emit.Enumerate(e.UpdateColumns) + ". A second write by the same" +
			" run and node with the same payload changes nothing; one"
	}
	return fmt.Sprintf("The key is (%s). %s with another payload sets an empty digest, which the table's check refuses,"+
		" so that the whole completion rolls back.", strings.Join(e.KeyColumns(), ", "), again)
}

func earlier(e Effect) string {
	if e.OnConflict == DoUpdate {
		return "the row was there before"
	}
	return "an earlier execution had written the same row"
}
