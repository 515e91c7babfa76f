package registry

import (
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/kind/effect"
	"github.com/idem-go/idem/gen/kind/handler"
	"github.com/idem-go/idem/gen/kind/outbox"
	"github.com/idem-go/idem/gen/kind/provider"
)

// Kinds are all kinds of directives, in the order of the help and of generated code.
var Kinds = kind.Kinds{
	handler.Kind,
	effect.Kind,
	outbox.Kind,
	provider.Kind,
	kind.Reserved("flow", "Typed wiring of steps.", directive.Vars, directive.Package),
}
