package runtime

import (
	"testing"
	"time"
)

// Sweeps of all leases take a thirtieth of the time at most, however long they are, and always come again.
func TestHorizonShare(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := newHorizon(time.Second)
	h.keep = 2 * time.Second
	if !h.due(now) || h.from().Valid {
		t.Error("the first look is not at all leases")
	}
	for range 10 { // until it is believed
		h.took(now.Add(-2*time.Second), now)
	}
	h.looked(now)
	if at := h.from(); h.due(now.Add(58*time.Second-1)) || !at.Time.Equal(now.Add(-2*time.Second)) {
		t.Errorf("it begins at %v", at)
	}
	if !h.due(now.Add(58 * time.Second)) {
		t.Error("they are not looked at again")
	}
	h.looked(now.Add(-time.Second)) // it began before the other, and ends after it
	if at := h.from(); !at.Time.Equal(now.Add(-2 * time.Second)) {
		t.Errorf("the horizon went back to %v", at)
	}
}

// Sweeps are left out for as long as polls find nothing, but not for ever.
func TestPollsCoverSweeps(t *testing.T) {
	t.Parallel()
	const sweep = time.Second
	now := time.Now()
	h := newHorizon(sweep)
	h.passed(now, now)
	if h.covered(now, sweep) {
		t.Error("all leases were never looked at")
	}
	h.took(now.Add(-time.Millisecond), now)
	if !h.covered(now.Add(sweep-1), sweep) || h.covered(now.Add(sweep), sweep) {
		t.Error("a poll does not cover the sweeps of the time that follows it")
	}
	h.uncover()
	if h.covered(now, sweep) {
		t.Error("a sweep is left out although a poll has called for it")
	}
	later := now.Add(pollsPerWhole * sweep)
	h.passed(later, later)
	if h.covered(later, sweep) {
		t.Error("it is too long ago that all leases were looked at")
	}
}
