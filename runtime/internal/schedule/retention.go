package schedule

import "time"

// Retention is what passes of retention have seen. They walk through the steps in the order of their ids, which is about the
// order in which they were enqueued: no index of its own is needed, which each step would have to pay for.
type Retention struct {
	// Floor is an id up to which nothing was left when it was last looked at: what was removed need not be passed again.
	Floor int64

	after     int64
	bare      bool // so far the pass has removed all that it has seen
	fruitless time.Duration
}

// Page is what became of one batch.
type Page struct {
	Last    int64 // the highest id that was looked at
	Seen    int
	Removed int
	Young   bool // what follows was enqueued too late to be over
}

// Batch is what retention is to do next.
type Batch struct {
	After int64         // the steps behind this id, once
	Rest  time.Duration // is over
}

// Begin begins a pass.
func (r *Retention) Begin() Batch {
	r.after, r.bare, r.fruitless = r.Floor, true, 0
	return Batch{After: r.after}
}

// PlanBatch notes what became of a batch of size steps at most, and returns the next one; done ends the pass. busy: a backlog
// comes first.
func (r *Retention) PlanBatch(p Page, size int, took time.Duration, busy bool) (next Batch, done bool) {
	if r.bare = r.bare && p.Removed == p.Seen; r.bare {
		r.Floor = max(r.Floor, p.Last)
	}
	if p.Seen == 0 || p.Seen < size || p.Young {
		return Batch{}, true
	}
	rest := idleRest * took
	if busy {
		rest = busyRest * took
	}
	r.after = p.Last
	r.fruitless += (took + rest) * time.Duration(p.Seen-p.Removed) / time.Duration(p.Seen)
	return Batch{After: p.Last, Rest: rest}, false
}

// Fruitless returns what the last pass has spent on steps that have to stay.
func (r *Retention) Fruitless() time.Duration { return r.fruitless }

// Pause returns how long the next pass is put off, before any jitter.
func (r *Retention) Pause() time.Duration { return max(retireEvery, passRest*r.fruitless) }
