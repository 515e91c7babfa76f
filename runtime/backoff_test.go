package runtime

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// F35: whatever the base and the attempt, a delay is positive and bounded.
func TestF35_BackoffIsBounded(t *testing.T) {
	t.Parallel()
	bases := []time.Duration{math.MinInt64, -time.Hour, -1, 0, 1, time.Millisecond, time.Second, time.Hour, 30 * 24 * time.Hour, math.MaxInt64}
	attempts := []int{math.MinInt, -1, 0, 1, 2, 62, 63, 64, 65, 1000, 1_000_000, math.MaxInt}
	for range 1000 {
		bases = append(bases, time.Duration(rand.Int64()-rand.Int64()))
		attempts = append(attempts, rand.IntN(1_000_000))
	}
	for _, base := range bases {
		for _, attempt := range attempts[:50] {
			if d := pace.Backoff(base, attempt, time.Hour); d <= 0 || d > time.Hour {
				t.Fatalf("pace.Backoff(%v, %d) is %v", base, attempt, d)
			}
		}
	}
	for attempt := range 1_000_000 {
		if d := pace.Backoff(time.Second, attempt, time.Hour); d < time.Second || d > time.Hour {
			t.Fatalf("attempt %d waits %v", attempt, d)
		}
	}
}

func TestBackoffDoubles(t *testing.T) {
	t.Parallel()
	for attempt, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 12: 2048 * time.Second, 13: time.Hour, 1000: time.Hour} {
		if got := pace.Backoff(time.Second, attempt, time.Hour); got != want {
			t.Errorf("attempt %d waits %v, want %v", attempt, got, want)
		}
	}
}

func TestJitterStaysInTheUpperHalf(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 1, 2, 3, time.Millisecond, time.Hour, time.Hour} {
		different := map[time.Duration]bool{}
		for range 1000 {
			j := pace.Jitter(d)
			if j < d-d/2 || j > d {
				t.Fatalf("pace.Jitter(%v) is %v", d, j)
			}
			different[j] = true
		}
		if d > time.Microsecond && len(different) < 100 {
			t.Errorf("pace.Jitter(%v) gives only %d values", d, len(different))
		}
	}
}
