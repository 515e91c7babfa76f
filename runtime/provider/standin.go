package provider

import (
	"context"

	"github.com/idem-go/idem/runtime/internal/double"
)

// standIn lets a test take the place of the author's functions, so that nothing reaches the provider itself.
func (c *call) standIn(ctx context.Context) {
	outside := double.Of(ctx)
	if outside == nil {
		return
	}
	in := c.intent
	asked := double.Call{
		Provider: c.def.name, Item: in.Item, Key: in.Key, Undo: in.Compensates != "", Request: in.Request,
		Receipt: c.def.receipt, Lookup: c.lookup != nil, Window: c.def.window, Margin: c.def.margin, Pause: c.def.pause,
	}
	c.send = func(ctx context.Context, _ string) (any, error) { return outside.Send(ctx, asked) }
	if c.lookup != nil {
		c.lookup = func(ctx context.Context, _ string) (any, bool, error) { return outside.Find(ctx, asked) }
	}
}
