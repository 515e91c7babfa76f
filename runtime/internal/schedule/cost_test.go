package schedule

import (
	"testing"
	"time"
)

// start is when the tests' virtual clocks begin.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// in returns the time that is d after start.
func in(d time.Duration) time.Time { return start.Add(d) }

func TestTook(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, c := range []struct {
		name         string
		before, took time.Duration
		believed     time.Duration
	}{
		{"the first", 0, time.Second, time.Second},
		{"the first, by a clock that stands still", 0, 0, 0},
		{"by a clock that stands still", 3 * ms, 0, 0},
		{"after that any is the first", 0, time.Minute, time.Minute},
		{"shorter", 40 * ms, 3 * ms, 3 * ms},
		{"the same", 40 * ms, 40 * ms, 40 * ms},
		{"four times as long", 40 * ms, 160 * ms, 160 * ms},
		{"longer than that", 40 * ms, 160*ms + 1, 160 * ms},
		{"much longer, of a short one", ms, time.Second, doubtful},
		{"longer, but not long", ms, 9 * ms, 9 * ms},
		{"as long as is doubtful", ms, doubtful, doubtful},
	} {
		cost := Cost{Taken: c.before}
		cost.Took(start, in(c.took))
		if cost.Taken != c.believed {
			t.Errorf("%s: believes %v, want %v", c.name, cost.Taken, c.believed)
		}
		due := in(c.took + 29*c.believed)
		if !cost.Next.Equal(due) || cost.Due(due.Add(-1)) || !cost.Due(due) || !cost.Due(due.Add(time.Hour)) {
			t.Errorf("%s: the next one is due at %v, want %v", c.name, cost.Next, due)
		}
	}
	if !(Cost{}).Due(start) || !(Cost{}).Due(time.Time{}) {
		t.Error("the first one is not due")
	}
}
