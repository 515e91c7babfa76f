package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// sweepPage is how many expired leases one statement takes back.
const sweepPage = 100

// sweeps takes steps back whose worker has not renewed their lease. Every worker sweeps; there is no
// leader, and jitter keeps them apart. The polls of a worker with little to do look for such steps too, and call for a sweep.
func (w *Worker) sweeps(ctx context.Context) {
	for failures := 0; w.awaitSweep(ctx, w.sweepPause(failures)); {
		if failures == 0 && w.horizon.covered(time.Now(), w.cfg.Sweep) {
			continue
		}
		if err := w.sweepDue(ctx); err != nil && ctx.Err() == nil {
			failures++
			w.unreachable("sweep", failures, err)
			continue
		}
		failures = 0
	}
}

// awaitSweep waits until the pause is over or a poll has found something; false means that ctx ended.
func (w *Worker) awaitSweep(ctx context.Context, pause time.Duration) bool {
	end := pace.Await(ctx, w.expired, pause)
	if end == pace.Woken {
		w.horizon.uncover()
	}
	return end != pace.Ended
}

func (w *Worker) sweepPause(failures int) time.Duration {
	if failures > 0 {
		return min(w.cfg.Sweep, pace.Jitter(pace.Backoff(100*time.Millisecond, failures, 2*time.Second)))
	}
	return pace.Jitter(w.cfg.Sweep)
}

// sweepDue looks whether leases have run out, which costs an idle database less than a sweep does, and sweeps if so.
func (w *Worker) sweepDue(ctx context.Context) error {
	if w.horizon.due(time.Now()) {
		if done, err := w.sweepAll(ctx); done || err != nil {
			return err
		}
	}
	first, at, err := w.firstExpired(ctx, w.horizon.from(), w.cfg.Lease)
	return w.sweepFound(first, at, err)
}

// sweepAll is a sweep of all leases; done tells whether it was not cut short.
func (w *Worker) sweepAll(ctx context.Context) (done bool, err error) {
	began := time.Now()
	first, at, err := w.firstExpired(ctx, beginning, w.horizon.budget)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		w.horizon.cut(began, time.Now(), w.cfg.Lease)
		return false, nil
	}
	if err = w.sweepFound(first, at, err); err == nil {
		w.horizon.took(began, time.Now())
	}
	return true, err
}

// sweepFound sweeps what a look has found, and notes when that was.
func (w *Worker) sweepFound(first pgtype.Timestamptz, at time.Time, err error) error {
	if err == nil && first.Valid {
		err = w.sweep(first)
	}
	if err == nil {
		w.horizon.looked(at)
	}
	return err
}

// firstExpired gives the lease from a time on that ran out first, if any did, and when it looked, by the database's clock.
func (w *Worker) firstExpired(ctx context.Context, from pgtype.Timestamptz, within time.Duration) (first pgtype.Timestamptz, at time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err = w.control.QueryRow(ctx, w.sql.expired, from, w.cfg.Lease.Microseconds()).Scan(&first, &at)
	return first, at, err
}

// sweep pages through the leases that have run out.
func (w *Worker) sweep(from pgtype.Timestamptz) error {
	for {
		n, err := w.sweepOnce(from)
		if err != nil || n < sweepPage {
			return err
		}
	}
}

func (w *Worker) sweepOnce(from pgtype.Timestamptz) (n int, err error) {
	ctx, cancel := context.WithTimeout(w.lasting, w.cfg.Lease)
	defer cancel()
	rows, err := w.control.Query(ctx, w.sql.sweep, sweepPage, from)
	if err != nil {
		return 0, err
	}
	swept, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s sweptStep, err error) {
		e := &s.event
		return s, row.Scan(&s.id, &e.RunID, &e.Node, &e.Queue, &e.Attempt, &e.Reclaims, &s.state, &e.Reason)
	})
	if err != nil {
		return 0, err
	}
	// Only now is the sweep committed: whoever is woken earlier may find nothing.
	for _, s := range swept {
		w.reportSweep(s)
		if s.state == StatePending {
			w.handOver(s)
		}
	}
	return len(swept), nil
}

// sweptStep is a step that was taken back, or given up.
type sweptStep struct {
	id    int64
	event Event
	state State
}

// handOver lets the step be claimed by its id, if the worker serves its queue, and by whoever is quicker.
func (w *Worker) handOver(s sweptStep) {
	if q := w.queues[s.event.Queue]; q != nil {
		q.stragglers.add(s.id)
	}
	w.announceWork(s.event.Queue)
}

// noisyReclaims is how many times a step may be taken over before each further time is an error in the log.
const noisyReclaims = 10

func (w *Worker) reportSweep(s sweptStep) {
	e := s.event
	log := w.log.With("run_id", e.RunID, "node", e.Node, "attempt", e.Attempt, "reclaims", e.Reclaims)
	e.Kind = EventReclaimed
	switch {
	case s.state == StateDiscarded:
		e.Kind = EventDiscarded
		log.Error("idem: step discarded, its workers died on it too often", "reason", string(e.Reason))
	case e.Reclaims > noisyReclaims:
		log.Error("idem: a step keeps losing its workers; look at what its handler does, or bound it with max_reclaims=")
	default:
		log.Warn("idem: step taken over from a worker that does not answer")
	}
	w.observe(e)
}
