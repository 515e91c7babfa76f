package outbox

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff is the least pause after a send: it doubles with each, up to limit, and cannot overflow.
func backoff(base time.Duration, attempt int, limit time.Duration) time.Duration {
	d := base
	for i := 1; i < attempt && d < limit; i++ {
		d *= 2
	}
	return min(d, limit)
}

// spread adds up to a half of d, and takes nothing away: what was promised to a receiver is kept.
func spread(d time.Duration) time.Duration { return d + rand.N(d/2+1) }

// pause sleeps for d; false means that ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
