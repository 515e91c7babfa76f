package badignore_more

import (
	"context"

	"github.com/google/uuid"

	"github.com/idem-go/idem/runtime"
)

type Mailer interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

var m Mailer

func Several(ctx runtime.Context, to string) error {
	//idem:ignore partialkey,freshkey -- the receiver knows what it does
	return m.Send(ctx, uuid.NewString(), to)
}

// The directive is for the whole statement.
func Lines(ctx runtime.Context, to string) error {
	//idem:ignore freshkey -- the receiver knows what it does
	return m.Send(ctx,
		uuid.NewString(),
		to)
}

// It is not for the function inside.
func Body(ctx runtime.Context, to string) error {
	//idem:ignore freshkey -- misplaced // want `\[badignore\]`
	send := func() error {
		_ = to
		return m.Send(ctx, uuid.NewString(), to) // want `\[freshkey\]`
	}
	return send()
}

func Nothing(ctx runtime.Context, to string) error {
	//idem:ignore -- no rule // want `\[badignore\]`
	return m.Send(ctx, ctx.RunID()+":"+ctx.Node(), to)
}

func Misspelt(ctx runtime.Context, to string) error {
	//idem:ignore freshkeys -- which one? // want `\[badignore\] there is no rule freshkeys; did you mean freshkey`
	return m.Send(ctx, uuid.NewString(), to) // want `\[freshkey\]`
}

func Other(ctx runtime.Context, to string) error {
	//idem:ignore attemptkey -- another rule // want `\[badignore\]`
	return m.Send(ctx, uuid.NewString(), to) // want `\[freshkey\]`
}
