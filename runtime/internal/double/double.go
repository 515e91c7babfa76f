package double

import (
	"context"
	"encoding/json"
	"reflect"
	"time"
)

// Call is one call of a provider, as it is about to be sent.
type Call struct {
	Provider string
	Item     string
	Key      string
	Undo     bool // it takes another call back
	Request  json.RawMessage
	Receipt  reflect.Type // what the author's function gives
	Lookup   bool         // the provider has one

	Window time.Duration // for how long the provider honours keys; 0: not at all
	Margin time.Duration // before whose end nothing is sent again
	Pause  time.Duration // before an unknown outcome is looked at again
}

// Outside stands for all other systems. It is used from many goroutines.
type Outside interface {
	// Send takes the place of a provider's function, or of its undo. The receipt is a value of the type c.Receipt; of an
	// undo it is not looked at. Errors mean what they mean of the author's function.
	Send(ctx context.Context, c Call) (receipt any, err error)
	// Find takes the place of a provider's lookup.
	Find(ctx context.Context, c Call) (receipt any, found bool, err error)
	// Queued is told of the outbox that a command was queued to.
	Queued(table any)
}

type outside struct{}

// With returns a context whose calls and commands go to o.
func With(ctx context.Context, o Outside) context.Context {
	return context.WithValue(ctx, outside{}, o)
}

// Of returns what stands for the other systems; nil in production.
func Of(ctx context.Context) Outside {
	o, _ := ctx.Value(outside{}).(Outside)
	return o
}
