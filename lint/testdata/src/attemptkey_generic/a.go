package attemptkey_generic

import (
	"context"
	"fmt"

	"github.com/idem-go/idem/runtime"
)

type Client interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

var client Client

func join[T any](run string, part T) string { return fmt.Sprintf("%s/mail/%v", run, part) }

type box[T any] struct{ v T }

func (b box[T]) get() T { return b.v }

func Bad(ctx runtime.Context, to string) error {
	return client.Send(ctx, join(ctx.RunID(), ctx.Attempt()), to) // want `\[attemptkey\]`
}

func Boxed(ctx runtime.Context, to string) error {
	b := box[int]{ctx.Attempt()}
	return client.Send(ctx, fmt.Sprintf("%s/mail/%d", ctx.RunID(), b.get()), to) // want `\[attemptkey\]`
}

func Good(ctx runtime.Context, to string) error {
	return client.Send(ctx, join(ctx.RunID(), ctx.Node()), to)
}
