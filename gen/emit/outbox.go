package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/idem-go/idem/gen/model"
)

// The packages that the functions of an outbox are written with, beside the runtime.
const (
	outboxPath = runtimePath + "/outbox"
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

// outbox writes the description of a table of commands, the functions that queue one, and the constructor of relays.
func outbox(f *jen.File, o model.Outbox) {
	s := newOutboxStatements(o)
	f.Add(comment(outboxSummary(o), "A second command under the same id with the same payload changes nothing; one with"+
		" another payload sets an empty digest, which the table's check refuses, so that the whole completion rolls back."))
	f.Var().Id(o.OutboxName()).Op("=").Qual(outboxPath, "Table").Custom(block, outboxFields(o, s)...)
	f.Line()
	queue(f, o)
	queueTx(f, o)
	relay(f, o)
}

func outboxFields(o model.Outbox, s outboxStatements) []jen.Code {
	effect := append([]jen.Code{
		jen.Id("Table").Op(":").Add(text(s.table)),
		jen.Id("Columns").Op(":").Add(stringSlice(s.columns, len("Columns: ")+tabWidth)),
		jen.Id("Guard").Op(":").Lit(s.guard),
		jen.Id("InsertSQL").Op(":").Add(text(s.insert)),
	}, groupField(s.group)...)
	fields := []jen.Code{jen.Id("Effect").Op(":").Qual(implPath, "Effect").Custom(block, effect...)}
	if len(s.item) > 0 {
		fields = append(fields, jen.Id("Item").Op(":").Add(intSlice(s.item)))
	}
	if o.To != "" {
		fields = append(fields, jen.Id("Destinations").Op(":").True())
	}
	if o.OrderBy != "" {
		fields = append(fields, jen.Id("Ordered").Op(":").True())
	}
	return append(fields, jen.Id("ClaimSQL").Op(":").Add(text(s.claim)))
}

// queue writes the function that keeps a command until the completion.
func queue(f *jen.File, o model.Outbox) {
	f.Add(comment(o.QueueName() + " keeps the command and writes it in the transaction that completes the step:" +
		" both commit, or neither. A relay sends it afterwards."))
	f.Func().Id(o.QueueName()).Params(
		jen.Id(ctxName).Qual(runtimePath, "Context"), jen.Id(rowName).Id(o.Type),
	).Error().Block(append(encodeBody(o), jen.Return(queueCall(o, "Queue", ctxName)))...)
	f.Line()
}

// queueTx writes the function for code that has a transaction and no step.
func queueTx(f *jen.File, o model.Outbox) {
	f.Add(comment(o.QueueTxName() + " writes the command in " + txName + ", for code that runs outside of any step." +
		" The same " + keyName + " gives the same command."))
	f.Func().Id(o.QueueTxName()).Params(
		jen.Id(ctxName).Qual("context", "Context"), jen.Id(txName).Qual(outboxPath, "DB"),
		jen.Id(keyName).String(), jen.Id(rowName).Id(o.Type),
	).Error().Block(append(encodeBody(o), jen.Return(queueCall(o, "QueueTx", ctxName, txName, keyName)))...)
	f.Line()
}

// relay writes the constructor of relays.
func relay(f *jen.File, o model.Outbox) {
	f.Add(comment(fmt.Sprintf("%s makes a relay that sends the commands of %q by %s.", o.RelayName(), displayTable(o), senderName)))
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
func encodeBody(o model.Outbox) []jen.Code {
	if o.Body != "" {
		return nil
	}
	return []jen.Code{
		jen.List(jen.Id(bodyName), jen.Id(errName)).Op(":=").Qual(outboxPath, "JSON").Call(jen.Id(rowName)),
		jen.If(jen.Id(errName).Op("!=").Nil()).Block(jen.Return(jen.Id(errName))),
	}
}

// queueCall hands over what is given, then the columns.
func queueCall(o model.Outbox, method string, given ...string) jen.Code {
	args := make([]sized, 0, len(given)+len(o.Columns)+1)
	for _, name := range given {
		args = append(args, sized{jen.Id(name), len(name)})
	}
	for _, c := range o.Columns {
		args = append(args, sized{argument(c), len("row.") + width(c)})
	}
	if o.Body == "" {
		args = append(args, sized{jen.Id(bodyName), len(bodyName)})
	}
	call := jen.Id(o.OutboxName()).Dot(method)
	if fits(args, tabWidth+len("return .()")+len(o.OutboxName())+len(method)) {
		return call.Params(fill(args, 0))
	}
	return call.Params(fill(args[:len(given)], 0).Op(",").Line().Add(fill(args[len(given):], 2)))
}

// outboxSummary says what there is one command of, for people who read generated code.
func outboxSummary(o model.Outbox) string {
	per := []string{"run", "node"}
	if o.Item != "" {
		per = append(per, o.Item)
	}
	summary := fmt.Sprintf("%s describes %q: one command per %s", o.OutboxName(), displayTable(o), enumerate(per))
	if o.OrderBy != "" {
		summary += ", in order per " + o.OrderBy
	}
	return summary + "."
}

func displayTable(o model.Outbox) string {
	if o.Schema != "" {
		return o.Schema + "." + o.Table
	}
	return o.Table
}
