package provider

import (
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/resolve"
)

// Kind is the kind of //idem:provider.
var Kind = kind.Kind{
	Resolve: resolve.Kind{Directives: []*directive.Spec{spec}, Imports: []string{providerPath}, Resolve: resolveProvider},
	Section: Calls,
}
