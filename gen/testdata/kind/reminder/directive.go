package reminder

import "github.com/idem-go/idem/gen/directive"

var spec = &directive.Spec{
	Name: "reminder", On: directive.Targets{directive.Struct}, Form: "struct",
	Doc:  "One row that somebody is to look at later.",
	Node: &directive.Param{Name: "NAME", Kind: directive.Node, Doc: "Durable name of the reminder."},
	Params: []directive.Param{
		{Name: "after", Kind: directive.Duration, Default: "at once", Doc: "How much later."},
	},
}
