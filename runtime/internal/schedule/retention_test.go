package schedule

import (
	"testing"
	"time"
)

// Removing old steps gives way to a backlog, and to nothing else: a worker that has time to spare has one for a moment with
// each burst of steps, and one that never has any would not remove as much as it completes.
func TestRetentionYieldsToBacklogsThatPass(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		since time.Duration
		first bool
	}{{0, false}, {Burst / 2, false}, {2 * Burst, true}, {mostYield / 2, true}, {2 * mostYield, false}} {
		b := Backlog{}.Note(true, now.Add(-c.since)).Note(true, now) // it goes on
		if b.ComesFirst(now) != c.first {
			t.Errorf("a backlog for %v comes first: %v, want %v", c.since, !c.first, c.first)
		}
		if b = b.Note(false, now); b.There() || b.ComesFirst(now) {
			t.Errorf("a backlog for %v is not over", c.since)
		}
	}
	for busy, rest := range map[bool]time.Duration{false: idleRest, true: busyRest} {
		var r Retention
		r.Begin()
		if next, done := r.PlanBatch(Page{Last: 10, Seen: 10, Removed: 10}, 10, time.Second, busy); done || next.Rest != rest*time.Second {
			t.Errorf("busy %v: a batch is followed by %+v, want a rest of %d times its time", busy, next, rest)
		}
	}
}
