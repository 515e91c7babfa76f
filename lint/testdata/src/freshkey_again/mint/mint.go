// Package mint makes keys.
package mint

import (
	"context"

	"github.com/google/uuid"
)

// Client is a client.
type Client interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

// Key makes a key.
func Key(prefix string) string { return prefix + "/" + uuid.NewString() }

// Send sends under a key of its own.
func Send(ctx context.Context, c Client, to string) error { return c.Send(ctx, uuid.NewString(), to) }
