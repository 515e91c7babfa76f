package schedule

import (
	"testing"
	"time"
)

// Sweeps of all leases take a thirtieth of the time at most, however long they are, and always come again.
func TestFullSweepsShare(t *testing.T) {
	t.Parallel()
	now := time.Now()
	l := NewLeases(time.Second)
	l.Keep = 2 * time.Second
	if plan := PlanSweep(l, now, time.Second, false); !plan.Full || !plan.From.IsZero() {
		t.Error("the first sweep is not of all leases")
	}
	for range 10 { // until it is believed
		l.TookFull(now.Add(-2*time.Second), now)
	}
	l.Looked(now)
	if plan := PlanSweep(l, now.Add(58*time.Second-1), time.Second, true); plan.Full || !plan.From.Equal(now.Add(-2*time.Second)) {
		t.Errorf("it is %+v", plan)
	}
	if !PlanSweep(l, now.Add(58*time.Second), time.Second, true).Full {
		t.Error("they are not looked at again")
	}
	l.Looked(now.Add(-time.Second)) // it began before the other, and ends after it
	if at := l.From(); !at.Equal(now.Add(-2 * time.Second)) {
		t.Errorf("the watermark went back to %v", at)
	}
}

// Sweeps are left out for as long as polls find nothing, but not for ever.
func TestPollsCoverSweeps(t *testing.T) {
	t.Parallel()
	const sweep = time.Second
	now := time.Now()
	l := NewLeases(sweep)
	skips := func(at time.Time) bool { return PlanSweep(l, at, sweep, false).Skip }
	l.Passed(now, now)
	if skips(now) {
		t.Error("all leases were never looked at")
	}
	l.TookFull(now.Add(-time.Millisecond), now)
	if !skips(now.Add(sweep-1)) || skips(now.Add(sweep)) {
		t.Error("a poll does not cover the sweeps of the time that follows it")
	}
	if PlanSweep(l, now, sweep, true).Skip {
		t.Error("a sweep is left out after one that failed")
	}
	l.Uncover()
	if skips(now) {
		t.Error("a sweep is left out although a poll has called for it")
	}
	later := now.Add(pollsPerFull * sweep)
	l.Passed(later, later)
	if skips(later) {
		t.Error("it is too long ago that all leases were looked at")
	}
}

func TestPlanSweep(t *testing.T) {
	t.Parallel()
	const every = 5 * time.Second
	now := in(time.Hour)
	seen := func(polled, fully time.Duration, next time.Time) Leases {
		l := NewLeases(every)
		l.Watermark, l.Full.Next = in(time.Minute), next
		l.Polled, l.Fully = now.Add(-polled), now.Add(-fully)
		return l
	}
	from := in(time.Minute - 10*time.Second)
	fresh := NewLeases(every)
	for _, c := range []struct {
		name   string
		leases Leases
		asked  bool
		want   Sweep
	}{
		{"nothing is known", fresh, false, Sweep{Full: true, Budget: 100 * time.Millisecond}},
		{"nothing is known, and the last one failed", fresh, true, Sweep{Full: true, Budget: 100 * time.Millisecond}},
		{"the first one was cut short", Leases{Full: Cost{Next: now.Add(1)}, Budget: time.Second}, false, Sweep{Budget: time.Second}},
		{"polls have just looked", seen(0, 0, now), false, Sweep{Skip: true}},
		{"polls looked nearly a sweep's pause ago", seen(every-1, 0, now), false, Sweep{Skip: true}},
		{"polls looked a sweep's pause ago", seen(every, 0, now), false, Sweep{Full: true, Budget: scanBudget, From: from}},
		{"polls have looked, and all leases were long ago", seen(0, 6*every-1, now), false, Sweep{Skip: true}},
		{"polls have looked, and all leases were too long ago", seen(0, 6*every, now), false, Sweep{Full: true, Budget: scanBudget, From: from}},
		{"polls have looked, and the last one failed", seen(0, 0, now), true, Sweep{Full: true, Budget: scanBudget, From: from}},
		{"a full scan is not due", seen(every, 0, now.Add(1)), false, Sweep{Budget: scanBudget, From: from}},
	} {
		if got := PlanSweep(c.leases, now, every, c.asked); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestNewLeases(t *testing.T) {
	t.Parallel()
	for sweep, keep := range map[time.Duration]time.Duration{0: leastKeep, leastKeep / 2: leastKeep, leastKeep/2 + 1: leastKeep + 2, time.Minute: 2 * time.Minute} {
		if l := NewLeases(sweep); l.Keep != keep || l.Budget != scanBudget || !l.From().IsZero() {
			t.Errorf("with a sweep every %v it is %+v, want to keep %v", sweep, l, keep)
		}
	}
}

// A full scan that is cut short has twice the time the next time, up to the most; it does not count as one of all leases.
func TestCutShort(t *testing.T) {
	t.Parallel()
	const most = time.Second
	l := NewLeases(time.Second)
	l.TookFull(start, in(time.Millisecond))
	fully := l.Fully
	for _, want := range []time.Duration{200, 400, 800, 1000, 1000} {
		began := l.Full.Next
		l.CutShort(began, began.Add(l.Budget), most)
		if l.Budget != want*time.Millisecond {
			t.Errorf("the next one may take %v, want %v", l.Budget, want*time.Millisecond)
		}
		if !l.Full.Next.After(began) || l.Fully != fully || !l.Watermark.IsZero() {
			t.Errorf("it is %+v", l)
		}
	}
	if l.CutShort(start, start, 0); l.Budget != 0 {
		t.Errorf("it may take %v where nothing is allowed", l.Budget)
	}
}

// The watermark is where the latest of all scans has looked, be it a sweep or a poll.
func TestWatermark(t *testing.T) {
	t.Parallel()
	var l Leases
	l.Keep = time.Second
	for _, c := range []struct{ at, want time.Duration }{{2 * time.Minute, 2 * time.Minute}, {time.Minute, 2 * time.Minute}, {2 * time.Minute, 2 * time.Minute}, {2*time.Minute + 1, 2*time.Minute + 1}} {
		l.Looked(in(c.at))
		if !l.Watermark.Equal(in(c.want)) || !l.From().Equal(in(c.want-time.Second)) {
			t.Errorf("after a look at %v the watermark is %v, and the next begins at %v", c.at, l.Watermark, l.From())
		}
	}
	l.Passed(in(time.Hour), in(7)) // the clocks differ
	if !l.Watermark.Equal(in(time.Hour)) || !l.Polled.Equal(in(7)) {
		t.Errorf("after a poll it is %+v", l)
	}
	l.Passed(in(time.Minute), in(8))
	if !l.Watermark.Equal(in(time.Hour)) || !l.Polled.Equal(in(8)) {
		t.Errorf("after a poll that began earlier it is %+v", l)
	}
	if l.Uncover(); !l.Polled.IsZero() || !l.Watermark.Equal(in(time.Hour)) {
		t.Errorf("after a poll that found something it is %+v", l)
	}
}
