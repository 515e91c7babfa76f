package effect

import "github.com/idem-go/idem/gen/directive"

var spec = &directive.Spec{
	Name: "effect", On: directive.Targets{directive.Struct}, Form: "struct",
	Doc: "One row that a step writes once, in the transaction that completes it.",
	Params: []directive.Param{
		{Name: "table", Kind: directive.TableName, Default: "the struct's name in snake case", Doc: "Table of the rows: name, or schema.name."},
		{Name: "key", Kind: directive.Fields, Default: "run and node", Doc: "Fields (Go names or column names) of a business key that replaces run and node."},
		{Name: "item", Kind: directive.Field, Default: "one row per run and node", Doc: "Field that tells several rows of one step apart; the key is then run, node and this field."},
		{Name: "on_conflict", Kind: directive.Conflict, Default: "nothing", Doc: "What a second write under the key does: nothing, or update(fields) for another run under a business key."},
		{Name: "existing", Kind: directive.Flag, Default: "idem makes the table", Doc: "Adopt a table that exists already.", Later: true},
	},
}
