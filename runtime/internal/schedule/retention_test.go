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

func TestPlanBatch(t *testing.T) {
	t.Parallel()
	const size, took = 10, time.Second
	begun := func(floor int64) Retention {
		r := Retention{Floor: floor}
		r.Begin()
		return r
	}
	for _, c := range []struct {
		name      string
		floor     int64
		page      Page
		busy      bool
		done      bool
		next      Batch
		wantFloor int64
		fruitless time.Duration
	}{
		{"nothing is there", 7, Page{Last: 7}, false, true, Batch{}, 7, 0},
		{"the end", 7, Page{Last: 16, Seen: 9, Removed: 9}, false, true, Batch{}, 16, 0},
		{"the end, of what stays", 7, Page{Last: 16, Seen: 9}, false, true, Batch{}, 7, 0},
		{"all are removed", 0, Page{Last: 12, Seen: 10, Removed: 10}, false, false, Batch{12, idleRest * took}, 12, 0},
		{"one stays", 3, Page{Last: 13, Seen: 10, Removed: 9}, false, false, Batch{13, idleRest * took}, 3, (1 + idleRest) * took / 10},
		{"all stay", 3, Page{Last: 13, Seen: 10}, false, false, Batch{13, idleRest * took}, 3, (1 + idleRest) * took},
		{"a backlog comes first", 0, Page{Last: 10, Seen: 10, Removed: 5}, true, false, Batch{10, busyRest * took}, 0, (1 + busyRest) * took / 2},
		{"what follows is too young", 0, Page{Last: 10, Seen: 10, Removed: 10, Young: true}, false, true, Batch{}, 10, 0},
	} {
		r := begun(c.floor)
		next, done := r.PlanBatch(c.page, size, took, c.busy)
		if next != c.next || done != c.done || r.Floor != c.wantFloor || r.fruitless != c.fruitless {
			t.Errorf("%s: %+v, done %v, %+v, want %+v, done %v, floor %d, fruitless %v", c.name, next, done, r, c.next, c.done, c.wantFloor, c.fruitless)
		}
	}
}

// A pass by a clock that stands still does not rest, and goes on.
func TestPlanBatchWithoutTime(t *testing.T) {
	t.Parallel()
	var r Retention
	r.Begin()
	if next, done := r.PlanBatch(Page{Last: 5, Seen: 5}, 5, 0, true); done || next != (Batch{After: 5}) || r.Pause() != retireEvery {
		t.Errorf("it is %+v, done %v, with a pause of %v", next, done, r.Pause())
	}
}

// Pages of no size find nothing, and end the pass.
func TestPlanBatchOfNoSize(t *testing.T) {
	t.Parallel()
	var r Retention
	r.Begin()
	if next, done := r.PlanBatch(Page{}, 0, time.Second, false); !done || next != (Batch{}) {
		t.Errorf("it goes on with %+v", next)
	}
}

// The floor rises as long as a pass has removed all that it has seen, and never after it has left something.
func TestFloor(t *testing.T) {
	t.Parallel()
	r := Retention{Floor: 4}
	for pass, pages := range [][]struct {
		page  Page
		floor int64
	}{
		{{Page{Last: 6, Seen: 2, Removed: 2}, 6}, {Page{Last: 9, Seen: 2, Removed: 1}, 6}, {Page{Last: 11, Seen: 2, Removed: 2}, 6}},
		{{Page{Last: 8, Seen: 1, Removed: 0}, 6}},
		{{Page{Last: 8, Seen: 2, Removed: 2}, 8}, {Page{Last: 8}, 8}},
	} {
		if b := r.Begin(); b != (Batch{After: r.Floor}) {
			t.Errorf("pass %d begins with %+v, and the floor is %d", pass, b, r.Floor)
		}
		for _, p := range pages {
			if r.PlanBatch(p.page, 2, 0, false); r.Floor != p.floor {
				t.Errorf("after %+v the floor is at %d, want %d", p.page, r.Floor, p.floor)
			}
		}
	}
}

// What a pass spends on steps that have to stay puts the next one off, and is forgotten when that begins.
func TestPause(t *testing.T) {
	t.Parallel()
	var r Retention
	if r.Pause() != retireEvery {
		t.Errorf("before the first pass it is %v", r.Pause())
	}
	for _, c := range []struct{ fruitless, want time.Duration }{
		{0, time.Minute}, {3 * time.Second, time.Minute}, {3*time.Second + 1, time.Minute + 20}, {time.Hour, 20 * time.Hour},
	} {
		if r.fruitless = c.fruitless; r.Pause() != c.want {
			t.Errorf("after %v it is %v, want %v", c.fruitless, r.Pause(), c.want)
		}
	}
	if r.Begin(); r.Pause() != time.Minute {
		t.Errorf("after a pass that spent nothing it is %v", r.Pause())
	}
}
