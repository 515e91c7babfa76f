package attemptkey_closure

import (
	"context"
	"fmt"

	"github.com/idem-go/idem/runtime"
)

type Client interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

var client Client

func Called(ctx runtime.Context, to string) error {
	key := func() string { return fmt.Sprintf("%s/%d", ctx.RunID(), ctx.Attempt()) }
	return client.Send(ctx, key(), to) // want `\[attemptkey\]`
}

func Captured(ctx runtime.Context, to string) error {
	key := "mail/" + ctx.RunID()
	change := func() { key = fmt.Sprint(key, ":", ctx.Attempt()) }
	change()
	return client.Send(ctx, key, to) // want `\[attemptkey\]`
}

func Inside(ctx runtime.Context, to string) error {
	n := ctx.Attempt()
	send := func() error {
		return client.Send(ctx, fmt.Sprintf("mail/%s/%d", ctx.RunID(), n), to) // want `\[attemptkey\]`
	}
	return send()
}

func WithParameter(ctx runtime.Context, to string) error {
	key := func(n int) string { return fmt.Sprintf("mail/%s/%d", ctx.RunID(), n) }
	return client.Send(ctx, key(ctx.Attempt()), to) // want `\[attemptkey\]`
}

// Captured for the log alone.
func Logged(ctx runtime.Context, to string) error {
	n := ctx.Attempt()
	log := func(what string) { fmt.Println(what, n) }
	log("sending")
	return client.Send(ctx, "mail/"+ctx.RunID(), to)
}
