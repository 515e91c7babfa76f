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
