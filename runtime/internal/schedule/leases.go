package schedule

import "time"

// Leases is what has been seen of the leases that ran out.
type Leases struct {
	Full   Cost          // of full scans
	Keep   time.Duration // how far before the watermark a sweep begins
	Budget time.Duration // what a full scan may take
	// Fully is when the last full scan ended, by this process's monotonic clock.
	Fully time.Time
	// Watermark is the time, by the database's clock, up to when nothing was left.
	Watermark time.Time
	// Polled is when a poll last found nothing, by this process's monotonic clock.
	Polled time.Time
}

// NewLeases returns what a worker that sweeps so often knows when it starts.
func NewLeases(sweep time.Duration) Leases {
	return Leases{Keep: max(2*sweep, leastKeep), Budget: scanBudget}
}

// Sweep is what a sweep is to look at.
type Sweep struct {
	Skip   bool          // nothing: polls have looked
	Full   bool          // all leases, for Budget at most; if that is not enough, those from From on as well
	Budget time.Duration // of a full scan
	From   time.Time     // where it begins if it is not full; zero: with those that ran out during the last lease
}

// PlanSweep returns what the next sweep looks at. again: the last one failed, so that this one is not left out. One that a poll
// has called for is not either, see [Leases.Uncover].
func PlanSweep(l Leases, now time.Time, every time.Duration, again bool) Sweep {
	if !again && l.covered(now, every) {
		return Sweep{Skip: true}
	}
	return Sweep{Full: l.Full.Due(now), Budget: l.Budget, From: l.From()}
}

// covered reports whether a sweep may be left out: a poll has looked within the time of one, and all leases were looked at not
// long ago.
func (l Leases) covered(now time.Time, every time.Duration) bool {
	return now.Sub(l.Polled) < every && now.Sub(l.Fully) < pollsPerFull*every
}

// From returns where a scan begins that is not a full one; zero before the first one.
func (l Leases) From() time.Time {
	if l.Watermark.IsZero() {
		return time.Time{}
	}
	return l.Watermark.Add(-l.Keep)
}

// TookFull notes that all leases were looked at.
func (l *Leases) TookFull(began, ended time.Time) {
	l.Full.Took(began, ended)
	l.Fully = ended
}

// CutShort notes that a full scan took longer than it may. Up to most is allowed the next time.
func (l *Leases) CutShort(began, ended time.Time, most time.Duration) {
	l.Full.Took(began, ended)
	l.Budget = min(2*l.Budget, most)
}

// Looked notes that nothing is left that ran out before at. Scans may end in another order than they began.
func (l *Leases) Looked(at time.Time) {
	if at.After(l.Watermark) {
		l.Watermark = at
	}
}

// Passed notes that a poll, which looked at the time at of the database's clock, has found nothing.
func (l *Leases) Passed(at, now time.Time) {
	l.Looked(at)
	l.Polled = now
}

// Uncover takes back what polls have said, one of them having found something: the next sweep is not left out.
func (l *Leases) Uncover() { l.Polled = time.Time{} }
