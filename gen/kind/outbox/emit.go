package outbox

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/emit"
	"github.com/idem-go/idem/gen/model"
)

// The packages that the functions of an outbox are written with, beside the runtime.
const (
	outboxPath = model.RuntimePath + "/outbox"
	poolPath   = "github.com/jackc/pgx/v5/pgxpool"
)

// The further names of parameters and variables in the functions of an outbox.
const (
	txName     = "tx"
	keyName    = "key"
	poolName   = "pool"
	senderName = "sender"
	configName = "cfg"
	bodyName   = "body"
)

var _ emit.Declaration = Outbox{}

// imports are the packages that the code of an outbox is written with, by their paths.
var imports = map[string]string{"context": "context", poolPath: "pgxpool", outboxPath: "outbox"}

// Imports are those of the relay and of code outside of a step.
func (o Outbox) Imports() map[string]string { return imports }

// Params are those of the functions that a step does not call.
func (o Outbox) Params(*model.Package) []string {
	return []string{txName, keyName, poolName, senderName, configName, bodyName}
}

// Emit writes the description of the table, the functions that queue a command, and the constructor of relays.
func (o Outbox) Emit(f *emit.File) error {
	s := newOutboxStatements(o)
	f.Add(emit.Comment(outboxSummary(o), "A second command under the same id with the same payload changes nothing; one with"+
		" another payload sets an empty digest, which the table's check refuses, so that the whole completion rolls back."))
	f.Var().Id(o.OutboxName()).Op("=").Qual(outboxPath, "Table").Custom(emit.Block, outboxFields(o, s)...)
	f.Line()
	queue(f, o)
	queueTx(f, o)
	relay(f, o)
	return nil
}

func outboxFields(o Outbox, s outboxStatements) []jen.Code {
	effect := append([]jen.Code{
		jen.Id("Table").Op(":").Add(emit.Text(s.table)),
		jen.Id("Columns").Op(":").Add(emit.StringSlice(s.columns, len("Columns: ")+emit.TabWidth)),
		jen.Id("Guard").Op(":").Lit(s.guard),
		jen.Id("InsertSQL").Op(":").Add(emit.Text(s.insert)),
	}, emit.GroupField(s.group)...)
	fields := []jen.Code{jen.Id("Effect").Op(":").Add(emit.Runtime("Effect")).Custom(emit.Block, effect...)}
	if len(s.item) > 0 {
		fields = append(fields, jen.Id("Item").Op(":").Add(emit.IntSlice(s.item)))
	}
	if o.To != "" {
		fields = append(fields, jen.Id("Destinations").Op(":").True())
	}
	if o.OrderBy != "" {
		fields = append(fields, jen.Id("Ordered").Op(":").True())
	}
	return append(fields, jen.Id("ClaimSQL").Op(":").Add(emit.Text(s.claim)))
}

// queue writes the function that keeps a command until the completion.
func queue(f *emit.File, o Outbox) {
	f.Add(emit.Comment(o.QueueName() + " keeps the command and writes it in the transaction that completes the step:" +
		" both commit, or neither. A relay sends it afterwards."))
	f.Func().Id(o.QueueName()).Params(
		jen.Id(emit.CtxName).Add(emit.Runtime("Context")), jen.Id(emit.RowName).Id(o.Type),
	).Error().Block(append(encodeBody(o), jen.Return(queueCall(o, "Queue", emit.CtxName)))...)
	f.Line()
}

// queueTx writes the function for code that has a transaction and no step.
func queueTx(f *emit.File, o Outbox) {
	f.Add(emit.Comment(o.QueueTxName() + " writes the command in " + txName + ", for code that runs outside of any step." +
		" The same " + keyName + " gives the same command."))
	f.Func().Id(o.QueueTxName()).Params(
		jen.Id(emit.CtxName).Qual("context", "Context"), jen.Id(txName).Qual(outboxPath, "DB"),
		jen.Id(keyName).String(), jen.Id(emit.RowName).Id(o.Type),
	).Error().Block(append(encodeBody(o), jen.Return(queueCall(o, "QueueTx", emit.CtxName, txName, keyName)))...)
	f.Line()
}

// relay writes the constructor of relays.
func relay(f *emit.File, o Outbox) {
	f.Add(emit.Comment(fmt.Sprintf("%s makes a relay that sends the commands of %q by %s.", o.RelayName(), displayTable(o), senderName)))
	f.Func().Id(o.RelayName()).Params(
		jen.Id(poolName).Op("*").Qual(poolPath, "Pool"), jen.Id(senderName).Qual(outboxPath, "Sender"),
		jen.Id(configName).Qual(outboxPath, "Config"),
	).Params(jen.Op("*").Qual(outboxPath, "Relay"), jen.Error()).Block(
		jen.Return(jen.Qual(outboxPath, "NewRelay").Call(
			jen.Id(poolName), jen.Op("&").Id(o.OutboxName()), jen.Id(senderName), jen.Id(configName))),
	)
	f.Line()
}

// encodeBody encodes the row that is sent as JSON, once: every send then has the same bytes.
func encodeBody(o Outbox) []jen.Code {
	if o.Body != "" {
		return nil
	}
	return []jen.Code{
		jen.List(jen.Id(bodyName), jen.Id(emit.ErrName)).Op(":=").Qual(outboxPath, "JSON").Call(jen.Id(emit.RowName)),
		jen.If(jen.Id(emit.ErrName).Op("!=").Nil()).Block(jen.Return(jen.Id(emit.ErrName))),
	}
}

// queueCall hands over what is given, then the columns.
func queueCall(o Outbox, method string, given ...string) jen.Code {
	args := make([]emit.Sized, 0, len(given)+len(o.Columns)+1)
	for _, name := range given {
		args = append(args, emit.Sized{Code: jen.Id(name), Width: len(name)})
	}
	for _, c := range o.Columns {
		args = append(args, emit.Sized{Code: emit.Argument(c), Width: len("row.") + emit.Width(c)})
	}
	if o.Body == "" {
		args = append(args, emit.Sized{Code: jen.Id(bodyName), Width: len(bodyName)})
	}
	queue := jen.Id(o.OutboxName()).Dot(method)
	if emit.Fits(args, emit.TabWidth+len("return .()")+len(o.OutboxName())+len(method)) {
		return queue.Params(emit.Fill(args, 0))
	}
	return queue.Params(emit.Fill(args[:len(given)], 0).Op(",").Line().Add(emit.Fill(args[len(given):], 2)))
}

// outboxSummary says what there is one command of, for people who read generated code.
func outboxSummary(o Outbox) string {
	per := []string{"run", "node"}
	if o.Item != "" {
		per = append(per, o.Item)
	}
	summary := fmt.Sprintf("%s describes %q: one command per %s", o.OutboxName(), displayTable(o), emit.Enumerate(per))
	if o.OrderBy != "" {
		summary += ", in order per " + o.OrderBy
	}
	return summary + "."
}

func displayTable(o Outbox) string {
	if o.Schema != "" {
		return o.Schema + "." + o.Table
	}
	return o.Table
}
