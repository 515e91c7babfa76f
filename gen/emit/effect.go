package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// effect writes the description of a table and the functions that write its rows.
func effect(f *jen.File, e model.Effect) {
	s := newStatements(e)
	f.Add(comment(effectSummary(e), effectRule(e)))
	f.Var().Id(e.EffectName()).Op("=").Qual(implPath, "Effect").Custom(block, effectFields(e, s)...)
	f.Line()
	record(f, e)
	insert(f, e)
}

func effectFields(e model.Effect, s statements) []jen.Code {
	fields := []jen.Code{
		jen.Id("Table").Op(":").Add(text(s.table)),
		jen.Id("Columns").Op(":").Add(stringSlice(s.columns, len("Columns: "))),
	}
	if len(s.key) > 0 {
		fields = append(fields, jen.Id("Key").Op(":").Add(intSlice(s.key)))
	}
	if len(e.Key) > 0 {
		fields = append(fields, jen.Id("Business").Op(":").True())
	}
	if e.OnConflict == model.DoUpdate {
		fields = append(fields, jen.Id("Updates").Op(":").True())
	}
	fields = append(fields,
		jen.Id("Guard").Op(":").Lit(s.guard),
		jen.Id("InsertSQL").Op(":").Add(text(s.insert)),
	)
	return append(append(fields, groupField(s.group)...),
		jen.Id("ReturningSQL").Op(":").Add(text(s.returning)),
		jen.Id("SelectSQL").Op(":").Add(text(s.selects)),
	)
}

// record writes the function that keeps a row until the completion.
func record(f *jen.File, e model.Effect) {
	f.Add(comment(e.RecordName() + " keeps the row and writes it in the transaction that completes the step:" +
		" both commit, or neither."))
	f.Func().Id(e.RecordName()).Params(rowParams(e)...).Error().Block(
		jen.Return(jen.Id(e.EffectName()).Dot("Record").Params(recordArguments(e))),
	)
	f.Line()
}

// insert writes the function that writes a row at once and returns it as stored.
func insert(f *jen.File, e model.Effect) {
	f.Add(comment(e.InsertName() + " writes the row now, inside the completion transaction, and returns it as stored," +
		" with the columns that the database fills in. inserted is false when " + earlier(e) + "."))
	f.Func().Id(e.InsertName()).Params(rowParams(e)...).Params(
		jen.Id(storedName).Id(e.Type), jen.Id(insertedName).Bool(), jen.Id(errName).Error(),
	).Block(
		jen.List(jen.Id(insertedName), jen.Id(errName)).Op("=").Id(e.EffectName()).Dot("Insert").Params(
			insertArguments(e),
		),
		jen.Return(jen.Id(storedName), jen.Id(insertedName), jen.Id(errName)),
	)
	f.Line()
}

func rowParams(e model.Effect) []jen.Code {
	return []jen.Code{jen.Id(ctxName).Qual(runtimePath, "Context"), jen.Id(rowName).Id(e.Type)}
}

// effectSummary and effectRule document the key, for people who read generated code.
func effectSummary(e model.Effect) string {
	per := e.KeyColumns()
	if len(e.Key) == 0 {
		per = append([]string{"run"}, per[1:]...)
	}
	table := e.Table
	if e.Schema != "" {
		table = e.Schema + "." + e.Table
	}
	return fmt.Sprintf("%s writes one row of %q per %s.", e.EffectName(), table, enumerate(per))
}

func effectRule(e model.Effect) string {
	again := "A second write under it with the same payload changes nothing; one"
	if e.OnConflict == model.DoUpdate {
		again = "Another run that writes under it updates " + enumerate(e.UpdateColumns) + ". A second write by the same" +
			" run and node with the same payload changes nothing; one"
	}
	return fmt.Sprintf("The key is (%s). %s with another payload sets an empty digest, which the table's check refuses,"+
		" so that the whole completion rolls back.", strings.Join(e.KeyColumns(), ", "), again)
}

func earlier(e model.Effect) string {
	if e.OnConflict == model.DoUpdate {
		return "the row was there before"
	}
	return "an earlier execution had written the same row"
}
