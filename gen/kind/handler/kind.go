package handler

import (
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/resolve"
)

// Kind is the kind of //idem:action and //idem:step.
var Kind = kind.Kind{
	Resolve: resolve.Kind{Directives: []*directive.Spec{action, step}, Resolve: resolveHandler},
	Section: Nodes,
}
