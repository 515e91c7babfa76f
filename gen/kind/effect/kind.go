package effect

import (
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/resolve"
)

// Kind is the kind of //idem:effect. Its tables are of plain rows, and it has no durable name but the table's.
var Kind = kind.Kind{Resolve: resolve.Kind{Directives: []*directive.Spec{spec}, Resolve: resolveEffect}}
