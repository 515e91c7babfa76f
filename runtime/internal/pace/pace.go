package pace

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff doubles base with each attempt after the first, up to limit. It cannot overflow, and is never
// below a millisecond, whatever it is given.
func Backoff(base time.Duration, attempt int, limit time.Duration) time.Duration {
	d := max(base, time.Millisecond)
	for i := 1; i < attempt && d < limit; i++ {
		d *= 2
	}
	return min(d, limit)
}

// Jitter spreads d over its upper half, so that what failed together does not come back together.
func Jitter(d time.Duration) time.Duration {
	half := d / 2
	return d - half + rand.N(half+1)
}

// Spread adds up to a half of d, and takes nothing away: what was promised to somebody is kept.
func Spread(d time.Duration) time.Duration { return d + rand.N(d/2+1) }

// Pause sleeps for d; false means that ctx ended first.
func Pause(ctx context.Context, d time.Duration) bool { return Await(ctx, nil, d) == Passed }

// End is why a wait is over.
type End int

// The ends of a wait.
const (
	Ended  End = iota // the context has ended
	Woken             // somebody has left a mark, see [Signal]
	Passed            // the time has passed
)

// Await waits for a mark in wake, for the time d at most.
func Await(ctx context.Context, wake <-chan struct{}, d time.Duration) End {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return Ended
	case <-wake:
		return Woken
	case <-t.C:
		return Passed
	}
}

// Signal leaves a mark in a channel of capacity one, for whoever looks at it next.
func Signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
