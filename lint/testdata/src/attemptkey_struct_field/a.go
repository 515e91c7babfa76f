package attemptkey_struct_field

import (
	"context"
	"fmt"

	"github.com/idem-go/idem/runtime"
)

type Client interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

var client Client

type command struct {
	name  string
	tries int
	key   string
}

func Bad(ctx runtime.Context, to string) error {
	var c command
	c.tries = ctx.Attempt()
	c.key = fmt.Sprintf("%s/%s/%d", ctx.RunID(), ctx.Node(), c.tries)
	return client.Send(ctx, c.key, to) // want `\[attemptkey\]`
}

// The field beside it may hold the attempt.
func Good(ctx runtime.Context, to string) error {
	c := &command{name: ctx.Node(), tries: ctx.Attempt()}
	c.key = ctx.RunID() + "/" + c.name
	return client.Send(ctx, c.key, to)
}

func describe(ctx runtime.Context) command {
	return command{name: ctx.Node(), tries: ctx.Attempt(), key: ctx.RunID() + "/" + ctx.Node()}
}

// A helper returns both; only one of them is used for the key.
func FromHelper(ctx runtime.Context, to string) error {
	c := describe(ctx)
	if err := client.Send(ctx, c.key, to); err != nil {
		return fmt.Errorf("try %d: %w", c.tries, err)
	}
	return client.Send(ctx, fmt.Sprint("again-", c.key, "-", c.tries), to) // want `\[attemptkey\]`
}

func split(ctx runtime.Context) (string, int) { return "mail/" + ctx.RunID(), ctx.Attempt() }

func Results(ctx runtime.Context, to string) error {
	key, n := split(ctx)
	if n > 3 {
		return client.Send(ctx, key, to)
	}
	return client.Send(ctx, fmt.Sprintf("%s-%d", key, n), to) // want `\[attemptkey\]`
}
