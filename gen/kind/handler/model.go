package handler

import (
	"time"

	"github.com/idem-go/idem/gen/diag"
	"github.com/idem-go/idem/gen/model"
)

// Sort is the sort of a handler, named like its directive: an action has no output, a step has one.
type Sort string

// The sorts of handlers.
const (
	Action Sort = "action"
	Step   Sort = "step"
)

// Handler is an annotated function or method.
type Handler struct {
	Kind Sort
	Name string      // the node name that the directive gives
	Func string      // the function's or method's Go name
	Recv *model.Recv // nil for a function
	In   model.Type
	Out  *model.Type // nil for an action
	// Limits as the directive gives them; zero means: not given, the runtime's default holds.
	Limits Limits
	Test   *Test  // nil: no test is generated for it
	Doc    string // first sentence of the doc comment, without the name; may be empty
	Pos    diag.Position
}

// Limits are the settings of a handler. Zero values mean "not given".
type Limits struct {
	Timeout     time.Duration
	MaxAttempts int
	Backoff     time.Duration // base of the exponential backoff
	MaxReclaims *int          // nil: unbounded
	MaxInput    int64         // bytes
	MaxOutput   int64         // bytes
	Queue       string
}

// At is where the directive stands.
func (h Handler) At() diag.Position { return h.Pos }

// Order sorts handlers by their nodes' names.
func (h Handler) Order() string { return h.Name }

// Selector is how Go names the function: "Charge", or "Billing.Finalize" for a method.
func (h Handler) Selector() string { return model.Select(h.Recv, h.Func) }

// Claims is the node's name.
func (h Handler) Claims() []model.Claim {
	return []model.Claim{{Space: model.Node, Name: h.Name, Owner: "handler"}}
}

// Exported reports whether the generated names are exported: the function and its receiver's type are.
func (h Handler) Exported() bool {
	return model.IsExported(h.Func) && (h.Recv == nil || model.IsExported(h.Recv.Type))
}

// DefinitionName is the name of the generated definition: ChargeAction, BillingFinalizeStep.
func (h Handler) DefinitionName() string {
	suffix := "Action"
	if h.Kind == Step {
		suffix = "Step"
	}
	return model.Cased(h.joined()+suffix, h.Exported())
}

// RegisterName is the name of the generated function that binds the implementation in a worker.
func (h Handler) RegisterName() string {
	return model.Cased("Register"+model.UpperFirst(h.joined()), h.Exported())
}

// GeneratedNames are the names that the handler adds to its package's scope.
func (h Handler) GeneratedNames() []string {
	return []string{h.DefinitionName(), h.RegisterName()}
}

// TestName is the name of the handler's generated test.
func (h Handler) TestName() string {
	if h.Exported() {
		return "Test" + h.joined() + "_Faults"
	}
	return "Test_" + model.LowerFirst(h.joined()) + "_Faults"
}

// FixtureName is what the function could be called that the handler's test takes its needs from.
func (h Handler) FixtureName() string { return model.LowerFirst(h.joined()) + "Fixture" }

func (h Handler) joined() string { return model.Joined(h.Recv, h.Func) }
