package ambiguouskey_more

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/idem-go/idem/runtime"
)

type Mailer interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

var mailer Mailer

func glue(a, b string) string { return a + b }

func Helper(ctx runtime.Context, to string) error {
	return mailer.Send(ctx, glue(ctx.RunID(), ctx.Node()), to) // want `\[ambiguouskey\]`
}

func Hashed(ctx runtime.Context, to string) error {
	sum := sha256.Sum256([]byte(ctx.RunID() + ctx.Node()))
	return mailer.Send(ctx, hex.EncodeToString(sum[:]), to) // want `\[ambiguouskey\]`
}

func Joined(ctx runtime.Context, to string, n int) error {
	if err := mailer.Send(ctx, strings.Join([]string{ctx.RunID(), ctx.Node()}, ""), to); err != nil { // want `\[ambiguouskey\]`
		return err
	}
	return mailer.Send(ctx, fmt.Sprintf("%s/%s%d", ctx.RunID(), ctx.Node(), n), to) // want `\[ambiguouskey\]`
}

func Good(ctx runtime.Context, to string, id uuid.UUID, n int) error {
	if err := mailer.Send(ctx, id.String()+ctx.Node(), to); err != nil {
		return err
	}
	if err := mailer.Send(ctx, fmt.Sprintf("%020d%s", n, to), to); err != nil {
		return err
	}
	if err := mailer.Send(ctx, strconv.Itoa(len(to))+":"+to+ctx.Node(), to); err != nil {
		return err
	}
	if err := mailer.Send(ctx, glue(ctx.RunID(), "/mail"), to); err != nil {
		return err
	}
	if err := mailer.Send(ctx, fmt.Sprintf("%q%q", ctx.RunID(), ctx.Node()), to); err != nil {
		return err
	}
	return mailer.Send(ctx, strings.Join([]string{ctx.RunID(), ctx.Node(), to}, "/"), to)
}
