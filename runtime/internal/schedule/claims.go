package schedule

import "time"

// Cursor is a place in the order of a queue's steps: by when they are due, and then by their id. The zero value is before all
// of them.
type Cursor struct {
	At time.Time
	ID int64
}

// IsZero reports whether the cursor is before all steps.
func (c Cursor) IsZero() bool { return c.At.IsZero() }

// after reports whether c is behind other.
func (c Cursor) after(other Cursor) bool {
	return c.At.After(other.At) || c.At.Equal(other.At) && c.ID > other.ID
}

// Queue is what has been seen of one queue.
type Queue struct {
	// Cursor is the place of the first step of a claim, the furthest so far; zero: nothing was claimed yet.
	Cursor   Cursor
	Full     Cost // of full scans, by claims, polls, and beside them
	Recent   Cost // of scans from a little before the cursor
	Slow     bool // the last full scan took longer than claims should wait
	Scanning bool // a scan beside the claims is under way
	// Known are steps that a scan beside the claims has found, or that this worker's sweep has taken back. Others may have
	// claimed them since.
	Known []int64
	Wait  time.Duration // how long a full scan may keep claims waiting
}

// NewQueue returns what is known of a queue at the start: nothing.
func NewQueue() Queue { return Queue{Wait: claimWait} }

// Claim is what a claim is to take: These steps, or if there are none up to Limit steps from a place on.
type Claim struct {
	These []int64
	Limit int
	From  Cursor
	Full  bool // From is the beginning
	// Beside is a scan to be started beside the claim; nil: none.
	Beside *Scan
}

// Scan is a look for due steps behind the cursor, beside the claims.
type Scan struct {
	Recent bool
	From   time.Time // zero: the beginning
	To     Cursor
}

// PlanClaim returns what a claim of up to limit steps is to take, and what is seen of the queue once that is under way.
// Known steps come first.
func PlanClaim(q Queue, now time.Time, limit int) (Claim, Queue) {
	if n := min(limit, len(q.Known)); n > 0 {
		known := q.Known[:n] // what is cut off the next scan finds again
		q.Known = nil
		return Claim{These: known}, q
	}
	c := Claim{Limit: limit, From: q.Cursor}
	if q.fullNext(now) {
		c.From, c.Full = Cursor{}, true
	}
	if scan, due := q.beside(now); due {
		c.Beside, q.Scanning = &scan, true
	}
	return c, q
}

// fullNext reports whether the next claim is a full scan.
func (q Queue) fullNext(now time.Time) bool {
	return q.Cursor.IsZero() || !q.Slow && q.Full.Due(now)
}

// beside returns the scan that is due beside the claims, where full ones would keep them waiting: from a little before the
// cursor, where most steps behind it are, or from the beginning.
func (q Queue) beside(now time.Time) (s Scan, due bool) {
	recent := !q.Full.Due(now)
	if !q.Slow || q.Cursor.IsZero() || q.Scanning || recent && !q.Recent.Due(now) {
		return Scan{}, false
	}
	s = Scan{Recent: recent, To: q.Cursor}
	if recent {
		s.From = q.Cursor.At.Add(-recentBy)
	}
	return s, true
}

// Claimed notes what a claim has taken: the place of its first step, zero if it took none. The cursor never goes back: what
// is before it was taken, or is for full scans to find.
func (q *Queue) Claimed(c Claim, first Cursor, began, ended time.Time) {
	if c.Full {
		q.tookFull(began, ended)
	}
	if first.after(q.Cursor) {
		q.Cursor = first
	}
}

// Polled notes a look at when the next step is due, which is a full scan.
func (q *Queue) Polled(began, ended time.Time) { q.tookFull(began, ended) }

// Scanned notes what a scan beside the claims has found. One that failed has found nothing.
func (q *Queue) Scanned(s Scan, found []int64, began, ended time.Time) {
	q.Scanning = false
	q.Known = append(q.Known, found...)
	if !s.Recent {
		q.tookFull(began, ended)
		return
	}
	q.Recent.Took(began, ended)
	if soonest := began.Add(recentEvery); q.Recent.Due(soonest) {
		q.Recent.Next = soonest
	}
}

func (q *Queue) tookFull(began, ended time.Time) {
	q.Full.Took(began, ended)
	q.Slow = ended.Sub(began) > q.Wait
}

// PlanRest returns how long to wait for an announcement after a claim that did not find all that it asked for. pause is what
// a poll waits. Where that claim began at the cursor, the next full one need not be announced.
func PlanRest(q Queue, last Claim, now time.Time, pause time.Duration) time.Duration {
	if !last.Full && !q.Slow {
		pause = min(pause, q.Full.Next.Sub(now))
	}
	return pause
}

// PlanPoll reports whether, once the rest is over, it is enough to look when the next step is due: with many workers that have
// nothing to do, claims of nothing would be what keeps the database busy. Where a full scan is not due, or takes long, a claim
// from the cursor is the poll.
func PlanPoll(q Queue, last Claim, now time.Time) bool { return last.Full && q.fullNext(now) }

// PlanNextPoll returns how long to wait after a poll that has found nothing due before the time due has passed. pause is what a
// poll waits at most.
func PlanNextPoll(q Queue, now time.Time, due, pause time.Duration) time.Duration {
	pause = min(due, pause)
	if q.Slow {
		pause = max(pause, q.Full.Next.Sub(now))
	}
	return pause
}
