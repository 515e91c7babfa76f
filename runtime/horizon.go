package runtime

import (
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// horizon is how far back a worker looks for leases that have run out, which keeps it from what [frontier] keeps claims from:
// while an old snapshot is held open, or nobody vacuums, every lease that there was is still in the index, and a look at all
// of them takes the longer the longer that lasts. What ran out before the look before was taken back then, but for what was
// locked at the time or committed late: looks at all leases find that. They take a thirtieth of the time at most, and each no
// longer than its budget. Usually every sweep is one.
type horizon struct {
	looks  // at all leases
	keep   time.Duration
	budget time.Duration // what a look at all leases may take
	wholly time.Time     // when the last of them ended, by this process's monotonic clock

	mu     sync.Mutex // polls use what follows too
	swept  time.Time  // up to when nothing was left, by the database's clock
	polled time.Time  // when a poll last found nothing, by this process's monotonic clock
}

// lookBudget is what the first look at all leases may take. One that is cut short was not for nothing: what it passed over
// the next one passes over in a fraction of the time. Where that cannot be, under an old snapshot, twice the time is allowed.
const lookBudget = 100 * time.Millisecond

// pollsPerWhole is how many sweeps a worker leaves out at most, one after the other, because its polls have found nothing.
const pollsPerWhole = 6

// leastKeep is how far before the last look the next one begins at least: a lease that ran out, or was committed, while the
// machine was slow is for the next look to find, and not for one at all leases.
const leastKeep = 10 * time.Second

func newHorizon(sweep time.Duration) horizon {
	return horizon{keep: max(2*sweep, leastKeep), budget: lookBudget}
}

// took notes that all leases were looked at.
func (h *horizon) took(began, ended time.Time) {
	h.looks.took(began, ended)
	h.wholly = ended
}

// cut notes that a look at all leases took longer than it may.
func (h *horizon) cut(began, ended time.Time, most time.Duration) {
	h.looks.took(began, ended)
	h.budget = min(2*h.budget, most)
}

// from is where a look begins that is not at all leases; not valid before the first one: it finds what ran out during the
// last lease.
func (h *horizon) from() pgtype.Timestamptz {
	h.mu.Lock()
	defer h.mu.Unlock()
	return pgtype.Timestamptz{Time: h.swept.Add(-h.keep), Valid: !h.swept.IsZero()}
}

// looked notes that nothing is left that ran out before at. Looks may end in another order than they began.
func (h *horizon) looked(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at.After(h.swept) {
		h.swept = at
	}
}

// passed notes that a poll, which looked at the time at, has found nothing.
func (h *horizon) passed(at, now time.Time) {
	h.looked(at)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.polled = now
}

// uncover takes back what polls have said.
func (h *horizon) uncover() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.polled = time.Time{}
}

// covered tells whether a sweep may be left out: a poll has looked within the time of one, and all leases were looked at not
// long ago.
func (h *horizon) covered(now time.Time, sweep time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return now.Sub(h.polled) < sweep && now.Sub(h.wholly) < pollsPerWhole*sweep
}
