package runtime

import (
	"time"

	"github.com/idem-go/idem/runtime/internal/maintenance"
	"github.com/idem-go/idem/runtime/internal/retention"
)

// Retention says how long steps that have ended are kept. A step's row is the evidence that its run was enqueued: once
// it is gone, enqueueing with the same key runs the handler again. The rows that its effects wrote are never removed by
// idem, and their keys still hold then: the run has the same identity as before.
type Retention struct {
	// Completed is how long completed steps stay after their end, and Discarded how long discarded and cancelled
	// ones do, which may be retried until then. Zero: for ever.
	Completed, Discarded time.Duration
	// ReplayWindow is the longest time after which the same key may be enqueued again: redeliveries, backfills,
	// operators' retries. Neither of the others may be shorter; such a retention is refused with [ErrRetention].
	ReplayWindow time.Duration
	// Batch is how many rows are looked at, and at most removed, in one transaction. Default: 1000.
	Batch int
}

func (r Retention) check() error {
	return retention.Check(r.ReplayWindow,
		retention.Time{Name: "Retention.Completed", Keep: r.Completed},
		retention.Time{Name: "Retention.Discarded", Keep: r.Discarded})
}

func (r Retention) keep() maintenance.Keep {
	return maintenance.Keep{Completed: r.Completed, Discarded: r.Discarded, Batch: r.Batch}
}
