package outbox

import (
	"maps"
	"slices"

	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/resolve"
)

// Kind is the kind of //idem:outbox.
var Kind = kind.Kind{
	Resolve: resolve.Kind{
		Directives: []*directive.Spec{spec}, Imports: slices.Sorted(maps.Keys(imports)), Resolve: resolveOutbox,
	},
	Form: form, ReadForm: readForm,
}
