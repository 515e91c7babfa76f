package double_test

import (
	"context"
	"fmt"

	"github.com/idem-go/idem/runtime/internal/double"
)

// deaf answers nothing.
type deaf struct{}

func (deaf) Send(context.Context, double.Call) (any, error)       { return nil, context.Canceled }
func (deaf) Find(context.Context, double.Call) (any, bool, error) { return nil, false, nil }
func (deaf) Queued(table any)                                     { fmt.Println("queued to", table) }

func ExampleWith() {
	ctx := double.With(context.Background(), deaf{})
	double.Of(ctx).Queued("webhook_outbox")
	fmt.Println(double.Of(context.Background()))
	// Output:
	// queued to webhook_outbox
	// <nil>
}
