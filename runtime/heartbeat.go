package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// heartbeats renews the leases of all held steps, in one statement a time. A step that comes back as not
// held any more is stopped.
func (w *Worker) heartbeats(ctx context.Context) {
	for failures := 0; ; {
		wait := w.cfg.Heartbeat
		if failures > 0 {
			wait = min(wait, pace.Jitter(pace.Backoff(50*time.Millisecond, failures, 2*time.Second)))
		}
		if !pace.Pause(ctx, wait) {
			return
		}
		if err := w.renew(ctx); err != nil && ctx.Err() == nil {
			failures++
			w.unreachable("heartbeat", failures, err)
			continue
		}
		failures = 0
	}
}

// renew extends the leases. Steps that were claimed since the last heartbeat are renewed too.
func (w *Worker) renew(ctx context.Context) error {
	steps := w.holding()
	if len(steps) == 0 {
		return nil
	}
	probe.At(probe.HeartbeatBeforeSend, "", "")
	ids, epochs := make([]int64, len(steps)), make([]int64, len(steps))
	for i, s := range steps {
		ids[i], epochs[i] = s.id, s.epoch
	}
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Lease/3)
	defer cancel()
	rows, err := w.control.Query(ctx, w.sql.heartbeat, ids, epochs, w.cfg.Lease.Microseconds())
	if err != nil {
		return err
	}
	kept, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	still := make(map[int64]bool, len(kept))
	for _, id := range kept {
		still[id] = true
	}
	for _, s := range steps {
		if !still[s.id] && !s.settled.Load() {
			s.end(ErrLeaseLost)
		}
	}
	return nil
}
