package await

import (
	"context"
	"time"
)

// Sleep waits for d, or until ctx ends, and then gives the cause.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
