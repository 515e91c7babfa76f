package maintenance

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/schedule"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

// Sweeper takes steps back whose worker has not renewed their lease. It is safe for concurrent use.
type Sweeper struct {
	*step.Host
	lease    time.Duration
	every    time.Duration
	handOver func(queue string, id int64)

	expired chan struct{} // a poll has found one

	mu   sync.Mutex // polls tell what they see
	seen schedule.Leases
}

// NewSweeper makes a sweeper of leases of that length that sweeps so often. handOver is told of each step that it has taken
// back and that may run again.
func NewSweeper(h *step.Host, lease, every time.Duration, handOver func(queue string, id int64)) *Sweeper {
	return &Sweeper{
		Host: h, lease: lease, every: every, handOver: handOver,
		expired: make(chan struct{}, 1), seen: schedule.NewLeases(every),
	}
}

// From implements claim.Leases.
func (s *Sweeper) From() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.From()
}

// Expired implements claim.Leases: it calls for a sweep.
func (s *Sweeper) Expired() { pace.Signal(s.expired) }

// Passed implements claim.Leases.
func (s *Sweeper) Passed(at time.Time) { s.See(func(l *schedule.Leases) { l.Passed(at, time.Now()) }) }

// See shows note what is seen of the leases.
func (s *Sweeper) See(note func(*schedule.Leases)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	note(&s.seen)
}

// Run sweeps until ctx ends. Every worker does; jitter keeps them apart. The polls of a worker with little to do look for
// expired leases too, and call for a sweep.
func (s *Sweeper) Run(ctx context.Context) {
	for failures := 0; s.await(ctx, s.pause(failures)); {
		if err := s.SweepDue(ctx, failures > 0); err != nil && ctx.Err() == nil {
			failures++
			s.Unreachable("sweep", failures, err)
			continue
		}
		failures = 0
	}
}

// await waits until the pause is over or a poll has found something; false means that ctx ended.
func (s *Sweeper) await(ctx context.Context, pause time.Duration) bool {
	end := pace.Await(ctx, s.expired, pause)
	if end == pace.Woken {
		s.See((*schedule.Leases).Uncover)
	}
	return end != pace.Ended
}

func (s *Sweeper) pause(failures int) time.Duration {
	if failures > 0 {
		return min(s.every, pace.Jitter(pace.Backoff(100*time.Millisecond, failures, 2*time.Second)))
	}
	return pace.Jitter(s.every)
}

// SweepDue looks whether leases have run out, which costs an idle database less than a sweep does, and sweeps if so.
func (s *Sweeper) SweepDue(ctx context.Context, again bool) error {
	s.mu.Lock()
	plan := schedule.PlanSweep(s.seen, time.Now(), s.every, again)
	s.mu.Unlock()
	if plan.Skip {
		return nil
	}
	if plan.Full {
		if done, err := s.sweepAll(ctx, plan.Budget); done || err != nil {
			return err
		}
	}
	first, at, err := s.firstExpired(ctx, store.Time(plan.From), s.Within)
	return s.sweepFound(first, at, err)
}

// sweepAll is a sweep of all leases; done reports whether it was not cut short.
func (s *Sweeper) sweepAll(ctx context.Context, budget time.Duration) (done bool, err error) {
	began := time.Now()
	first, at, err := s.firstExpired(ctx, store.From(time.Time{}), budget)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		s.See(func(l *schedule.Leases) { l.CutShort(began, time.Now(), s.lease) })
		return false, nil
	}
	if err = s.sweepFound(first, at, err); err == nil {
		s.See(func(l *schedule.Leases) { l.TookFull(began, time.Now()) })
	}
	return true, err
}

// sweepFound sweeps what a scan has found, and notes when that was.
func (s *Sweeper) sweepFound(first pgtype.Timestamptz, at time.Time, err error) error {
	if err == nil && first.Valid {
		err = s.Sweep(first)
	}
	if err == nil {
		s.See(func(l *schedule.Leases) { l.Looked(at) })
	}
	return err
}

// firstExpired returns the lease from a time on that ran out first, if any did, and when it looked, by the database's clock.
func (s *Sweeper) firstExpired(ctx context.Context, from pgtype.Timestamptz, within time.Duration) (first pgtype.Timestamptz, at time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err = s.Control.QueryRow(ctx, s.SQL.Expired, from, s.lease.Microseconds()).Scan(&first, &at)
	return first, at, err
}

// Sweep pages through the leases that have run out from a time on.
func (s *Sweeper) Sweep(from pgtype.Timestamptz) error {
	for {
		n, err := s.SweepPage(from)
		if err != nil || n < schedule.SweepPage {
			return err
		}
	}
}

// swept is a step that was taken back, or given up.
type swept struct {
	id    int64
	event lifecycle.Event
	state lifecycle.State
}

// SweepPage takes back a page of the leases that have run out from a time on, and returns how many those were.
func (s *Sweeper) SweepPage(from pgtype.Timestamptz) (n int, err error) {
	ctx, cancel := context.WithTimeout(s.Lasting, s.Within)
	defer cancel()
	rows, err := s.Control.Query(ctx, s.SQL.Sweep, schedule.SweepPage, from)
	if err != nil {
		return 0, err
	}
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b swept, err error) {
		e := &b.event
		return b, row.Scan(&b.id, &e.RunID, &e.Node, &e.Queue, &e.Attempt, &e.Reclaims, &b.state, &e.Reason)
	})
	if err != nil {
		return 0, err
	}
	// Only now is the sweep committed: whoever is woken earlier may find nothing.
	for _, b := range steps {
		s.report(b)
		if b.state == lifecycle.StatePending {
			s.handOver(b.event.Queue, b.id)
		}
	}
	return len(steps), nil
}

// noisyReclaims is how many times a step may be taken over before each further time is an error in the log.
const noisyReclaims = 10

func (s *Sweeper) report(b swept) {
	e := b.event
	log := s.Log.With("run_id", e.RunID, "node", e.Node, "attempt", e.Attempt, "reclaims", e.Reclaims)
	e.Kind = lifecycle.EventReclaimed
	switch {
	case b.state == lifecycle.StateDiscarded:
		e.Kind = lifecycle.EventDiscarded
		log.Error("idem: step discarded, its workers died on it too often", "reason", string(e.Reason))
	case e.Reclaims > noisyReclaims:
		log.Error("idem: a step keeps losing its workers; look at what its handler does, or bound it with max_reclaims=")
	default:
		log.Warn("idem: step taken over from a worker that does not answer")
	}
	s.Observe(e)
}
