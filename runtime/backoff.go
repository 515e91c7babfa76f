package runtime

import (
	"math/rand/v2"
	"time"
)

// maxBackoff bounds the delay between two attempts.
const maxBackoff = time.Hour

// backoff doubles base with each attempt after the first, up to limit. It cannot overflow, and is never
// below a millisecond, whatever it is given.
func backoff(base time.Duration, attempt int, limit time.Duration) time.Duration {
	d := max(base, time.Millisecond)
	for i := 1; i < attempt && d < limit; i++ {
		d *= 2
	}
	return min(d, limit)
}

// jitter spreads d over its upper half, so that what failed together does not come back together.
func jitter(d time.Duration) time.Duration {
	half := d / 2
	return d - half + rand.N(half+1)
}
