package maintenance

import (
	"context"
	"time"

	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/schedule"
	"github.com/idem-go/idem/runtime/internal/step"
)

// Keep is how long steps that have ended stay. Zero: for ever.
type Keep struct {
	Completed time.Duration
	Discarded time.Duration // and cancelled ones
	Batch     int           // how many rows are looked at, and at most removed, in one transaction
}

// ForEver reports whether nothing is ever removed.
func (k Keep) ForEver() bool { return k.Completed == 0 && k.Discarded == 0 }

// Retirer removes steps whose time is over.
type Retirer struct {
	*step.Host
	Keep Keep
	// Backlogs returns those of the worker's queues.
	Backlogs func() []schedule.Backlog

	// Seen is what the passes have seen. It is theirs alone.
	Seen schedule.Retention
}

// Run removes until ctx ends. Every worker does; what one has locked the others pass over. It begins when the worker has shown
// whether there is a backlog.
func (r *Retirer) Run(ctx context.Context) {
	if !pace.Pause(ctx, pace.Jitter(4*schedule.Burst)) {
		return
	}
	for failures := 0; ; {
		err := r.Pass(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failures++
			r.Unreachable("retention", failures, err)
		default:
			failures = 0
		}
		if !pace.Pause(ctx, pace.Jitter(r.Seen.Pause())) {
			return
		}
	}
}

// Pass goes once through what may be over.
func (r *Retirer) Pass(ctx context.Context) error {
	for batch, done := r.Seen.Begin(), false; ; {
		if !pace.Pause(ctx, batch.Rest) {
			return ctx.Err()
		}
		began := time.Now()
		page, err := r.remove(ctx, batch.After)
		if err != nil {
			return err
		}
		if page.Removed > 0 {
			r.Observe(lifecycle.Event{Kind: lifecycle.EventRetired, Count: page.Removed})
		}
		if batch, done = r.Seen.PlanBatch(page, r.Keep.Batch, time.Since(began), r.Busy()); done {
			return nil
		}
	}
}

// Busy reports whether a backlog comes first.
func (r *Retirer) Busy() bool {
	now := time.Now()
	for _, b := range r.Backlogs() {
		if b.ComesFirst(now) {
			return true
		}
	}
	return false
}

func (r *Retirer) remove(ctx context.Context, after int64) (p schedule.Page, err error) {
	err = r.Control.QueryRow(ctx, r.SQL.Retire, after, r.Keep.Batch, r.Keep.Completed.Microseconds(), r.Keep.Discarded.Microseconds()).
		Scan(&p.Last, &p.Seen, &p.Removed, &p.Young)
	return p, err
}
