package lease

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// Heartbeats renews the leases of all held steps for another lease, in one statement a time, until ctx ends. A step that comes
// back as not held any more is stopped.
func (k *Keeper) Heartbeats(ctx context.Context, every, lease time.Duration) {
	for failures := 0; ; {
		wait := every
		if failures > 0 {
			wait = min(wait, pace.Jitter(pace.Backoff(50*time.Millisecond, failures, 2*time.Second)))
		}
		if !pace.Pause(ctx, wait) {
			return
		}
		if err := k.Renew(ctx, lease); err != nil && ctx.Err() == nil {
			failures++
			k.Unreachable("heartbeat", failures, err)
			continue
		}
		failures = 0
	}
}

// Renew extends the leases once. Steps that were claimed since the last time are renewed too.
func (k *Keeper) Renew(ctx context.Context, lease time.Duration) error {
	steps := k.All()
	if len(steps) == 0 {
		return nil
	}
	probe.At(probe.HeartbeatBeforeSend, "", "")
	ids, epochs := make([]int64, len(steps)), make([]int64, len(steps))
	for i, s := range steps {
		ids[i], epochs[i] = s.ID, s.Epoch
	}
	ctx, cancel := context.WithTimeout(ctx, lease/3)
	defer cancel()
	rows, err := k.Control.Query(ctx, k.SQL.Heartbeat, ids, epochs, lease.Microseconds())
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
		if !still[s.ID] && !s.Settled() {
			s.End(failure.ErrLeaseLost)
		}
	}
	return nil
}
