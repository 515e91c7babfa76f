package soak

import (
	"slices"
	"testing"
	"time"
)

func TestTrackerFollowsSteps(t *testing.T) {
	t.Parallel()
	x := newTracker()
	a, b := &worker{}, &worker{}
	report := func(w *worker, line string) { x.report(w, []byte(line)) }

	// Killed with two steps in hand: one runs again elsewhere, the other had committed.
	report(a, "b 0 1")
	report(a, "b 1 2")
	report(a, "b 0 3")
	report(a, "c 0 3")
	if n := x.killed(a, time.Now().Add(-time.Second)); n != 2 {
		t.Errorf("%d steps in hand, want 2", n)
	}
	report(b, "b 0 1")
	if len(x.again) != 1 || x.again[0].took < time.Second || len(x.orphans) != 1 {
		t.Errorf("recoveries %v, orphans %v", x.again, x.orphans)
	}
	report(b, "c 0 1")

	// A step that was taken over is in the hands of the second worker alone.
	report(a, "b 2 5")
	report(b, "b 2 5")
	report(a, "g 2 5")
	if x.inHand(a) != 0 || x.inHand(b) != 1 {
		t.Errorf("in hand: %d and %d", x.inHand(a), x.inHand(b))
	}

	// An unknown outcome is resolved by a completion, or by another start, or by the worker.
	for _, line := range []string{"b 0 10", "u 0 10", "u 0 10", "c 0 10", "b 0 11", "u 0 11", "b 0 11", "b 0 12", "u 0 12", "g 0 12", "b 0 13", "u 0 13"} {
		report(b, line)
	}
	if c := x.counts; c.unknown != 4 || c.resolved != 1 || c.rerun != 1 || c.settled != 1 || len(x.doubts) != 1 {
		t.Errorf("unknown outcomes: %+v, %d open", c, len(x.doubts))
	}
	if x.repeated() != 3 {
		t.Errorf("%d steps ran more than once, want 3", x.repeated())
	}

	for _, line := range []string{"", "b", "b 99 1", "c 0", "b 0 x", "torn"} {
		report(a, line) // must not be taken for anything
	}
	if x.twice.Count != 0 {
		t.Errorf("violations: %+v", x.twice)
	}
	report(a, "c 0 10")
	if x.twice.Count != 1 {
		t.Error("a second completion was not noticed")
	}
}

func TestTrackerLeavesOutRecoveriesWithoutPostgres(t *testing.T) {
	t.Parallel()
	x := newTracker()
	w := &worker{}
	x.report(w, []byte("b 0 1"))
	x.killed(w, time.Now())
	back := x.away()
	if !x.isAway() {
		t.Error("the server is away, and is not said to be")
	}
	back(true)
	if x.isAway() {
		t.Error("the server is back, and is said to be away")
	}
	x.report(w, []byte("b 0 1"))
	if len(x.again) != 0 || x.counts.waited != 1 {
		t.Errorf("recoveries %v, waited %d", x.again, x.counts.waited)
	}
	x.report(w, []byte("c 0 1"))
	if len(x.firsts) != 1 || !x.ready.IsZero() {
		t.Errorf("first completions %v", x.firsts)
	}
}

func TestTimesAreSummedUp(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for i := 1000; i > 0; i-- {
		times = append(times, time.Duration(i)*time.Millisecond)
	}
	if got, want := sumUp(times), (Times{Samples: 1000, P50: 501, P99: 990, Max: 1000}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := sumUp(nil); got != (Times{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// A slow recovery leads to its kill, whose time stands in the schedule.
func TestSlowRecoveriesByKill(t *testing.T) {
	t.Parallel()
	began := time.Now()
	first, second := began.Add(time.Second), began.Add(9*time.Second)
	all := []recovery{{second, 3500 * time.Millisecond}, {first, 3 * time.Second}, {first, 3001 * time.Millisecond}, {second, 5 * time.Second}}
	want := []SlowRecovery{{1000, 1, 3001}, {9000, 2, 5000}}
	if got := slowest(all, 3*time.Second, began); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
