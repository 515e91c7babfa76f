package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// Retention says how long steps that have ended are kept. A step's row is the evidence that its run was enqueued: once
// it is gone, enqueueing with the same key runs the handler again. The rows that its effects wrote are never removed by
// idem, and their keys still hold then: the run has the same identity as before.
type Retention struct {
	// Completed is how long completed steps stay after their end, and Discarded how long discarded and cancelled
	// ones do, which may be retried until then. Zero: for ever.
	Completed, Discarded time.Duration
	// ReplayWindow is the longest time after which the same key may be enqueued again: redeliveries, backfills,
	// operators' retries. Neither of the others may be shorter.
	ReplayWindow time.Duration
	// Batch is how many rows are looked at, and at most removed, in one transaction. Default: 1000.
	Batch int
}

// ErrRetention says that evidence would be removed while a replay can still come, which would then run again.
var ErrRetention = errors.New("idem: retention is shorter than the replay window")

func (r Retention) check() error {
	if r.Completed < 0 || r.Discarded < 0 || r.ReplayWindow < 0 {
		return errors.New("idem: Config.Retention has a negative time")
	}
	for name, keep := range map[string]time.Duration{"Completed": r.Completed, "Discarded": r.Discarded} {
		switch {
		case keep == 0:
		case r.ReplayWindow == 0:
			return fmt.Errorf("%w: Retention.%s is %v and ReplayWindow is not set; set it to the longest time after which a key may come again", ErrRetention, name, keep)
		case keep < r.ReplayWindow:
			return fmt.Errorf("%w: Retention.%s is %v, ReplayWindow %v; raise %[2]s", ErrRetention, name, keep, r.ReplayWindow)
		}
	}
	return nil
}

func (r Retention) forEver() bool { return r.Completed == 0 && r.Discarded == 0 }

// retireEvery is how often a worker looks for steps to remove; the actual pauses are jittered. Where a pass spends long on old
// steps that have to stay, the pause is passRest times as long as that. What it spends on those that it removes does not count,
// or a busy table would be left alone for the longer the more there is to remove. Within a pass a worker rests after each batch,
// idleRest times as long as that took: it removes half as many steps again as it can complete, and still more than enough where
// it is busy with those half of the time, which makes a batch take twice as long. A backlog comes first, with busyRest, but not
// for long: a table of which less is removed than is added to it grows.
const (
	retireEvery = time.Minute
	passRest    = 20
	idleRest    = 2
	busyRest    = 20
)

// retires removes steps whose time is over. Every worker does; what one has locked the others pass over. It begins when it has
// shown whether there is a backlog.
func (w *Worker) retires(ctx context.Context) {
	if !pace.Pause(ctx, pace.Jitter(4*burst)) {
		return
	}
	r := retirement{w: w, keep: w.cfg.Retention}
	for failures := 0; ; {
		fruitless, err := r.pass(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failures++
			w.unreachable("retention", failures, err)
		default:
			failures = 0
		}
		if !pace.Pause(ctx, pace.Jitter(max(retireEvery, passRest*fruitless))) {
			return
		}
	}
}

// retirement walks through the steps in the order of their ids, which is about the order in which they were enqueued: no
// index of its own is needed, which each step would have to pay for.
type retirement struct {
	w    *Worker
	keep Retention
	// floor is an id up to which nothing was left when it was last looked at: what was removed need not be passed again.
	floor int64
}

// page is what became of one batch.
type page struct {
	last    int64 // the highest id that was looked at
	seen    int
	removed int
	young   bool // what follows was enqueued too late to be over
}

// pass goes once through what may be over. fruitless is how much of its time went into steps that have to stay.
func (r *retirement) pass(ctx context.Context) (fruitless time.Duration, err error) {
	for after, bare := r.floor, true; ; {
		began := time.Now()
		p, err := r.remove(ctx, after)
		if err != nil {
			return fruitless, err
		}
		if p.removed > 0 {
			r.w.observe(Event{Kind: EventRetired, Count: p.removed})
		}
		if bare = bare && p.removed == p.seen; bare {
			r.floor = max(r.floor, p.last)
		}
		if p.seen < r.keep.Batch || p.young {
			return fruitless, nil
		}
		after = p.last
		goesOn := pace.Pause(ctx, r.rest()*time.Since(began))
		fruitless += time.Since(began) * time.Duration(p.seen-p.removed) / time.Duration(p.seen)
		if !goesOn {
			return fruitless, ctx.Err()
		}
	}
}

// rest is how many times as long as a batch took the next one is put off.
func (r *retirement) rest() time.Duration {
	now := time.Now()
	for _, q := range r.w.queues {
		if q.backlog.comesFirst(now) {
			return busyRest
		}
	}
	return idleRest
}

func (r *retirement) remove(ctx context.Context, after int64) (p page, err error) {
	err = r.w.control.QueryRow(ctx, r.w.sql.retire, after, r.keep.Batch, r.keep.Completed.Microseconds(), r.keep.Discarded.Microseconds()).
		Scan(&p.last, &p.seen, &p.removed, &p.young)
	return p, err
}
