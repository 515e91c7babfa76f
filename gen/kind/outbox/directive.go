package outbox

import "github.com/idem-go/idem/gen/directive"

var spec = &directive.Spec{
	Name: "outbox", On: directive.Targets{directive.Struct}, Form: "struct",
	Doc: "One command to another system, written in the transaction that completes the step and sent by a relay afterwards.",
	Params: []directive.Param{
		{Name: "table", Kind: directive.TableName, Default: "the struct's name in snake case with _outbox behind it", Doc: "Table of the commands: name, or schema.name."},
		{Name: "to", Kind: directive.Field, Default: "all go to one destination", Doc: "String field with the destination. Each has a limit and a breaker of its own."},
		{Name: "order_by", Kind: directive.Field, Default: "no order", Doc: "String field: commands with the same value of it are sent in the order in which they were queued."},
		{Name: "item", Kind: directive.Field, Default: "one command per run and node", Doc: "Field that tells several commands of one step apart."},
		{Name: "body", Kind: directive.Field, Default: "the only []byte or json.RawMessage field, else the row as JSON", Doc: "Field that is sent, to the byte: []byte, json.RawMessage or string."},
	},
}
