package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// sweepPage is how many expired leases one statement takes back.
const sweepPage = 100

// sweeps takes steps back whose worker has not renewed their lease. Every worker sweeps; there is no
// leader, and jitter keeps them apart.
func (w *Worker) sweeps(ctx context.Context) {
	for failures := 0; pace.Pause(ctx, w.sweepPause(failures)); {
		if !w.expiredLeases(ctx) {
			failures = 0
			continue
		}
		if err := w.sweep(); err != nil && ctx.Err() == nil {
			failures++
			w.unreachable("sweep", failures, err)
			continue
		}
		failures = 0
	}
}

func (w *Worker) sweepPause(failures int) time.Duration {
	if failures > 0 {
		return min(w.cfg.Sweep, pace.Jitter(pace.Backoff(100*time.Millisecond, failures, 2*time.Second)))
	}
	return pace.Jitter(w.cfg.Sweep)
}

// expiredLeases tells whether a sweep would find something, which costs an idle database less than a sweep does. An error
// counts as yes: the sweep that follows reports it.
func (w *Worker) expiredLeases(ctx context.Context) (found bool) {
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Lease)
	defer cancel()
	err := w.control.QueryRow(ctx, w.sql.expired).Scan(&found)
	return found || err != nil
}

// sweep pages through the expired leases.
func (w *Worker) sweep() error {
	for {
		n, err := w.sweepOnce()
		if err != nil || n < sweepPage {
			return err
		}
	}
}

func (w *Worker) sweepOnce() (n int, err error) {
	ctx, cancel := context.WithTimeout(w.lasting, w.cfg.Lease)
	defer cancel()
	rows, err := w.control.Query(ctx, w.sql.sweep, sweepPage)
	if err != nil {
		return 0, err
	}
	type sweptStep struct {
		event Event
		state State
	}
	swept, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s sweptStep, err error) {
		e := &s.event
		return s, row.Scan(&e.RunID, &e.Node, &e.Queue, &e.Attempt, &e.Reclaims, &s.state, &e.Reason)
	})
	if err != nil {
		return 0, err
	}
	// Only now is the sweep committed: whoever is woken earlier may find nothing.
	for _, s := range swept {
		w.reportSweep(s.event, s.state)
	}
	return len(swept), nil
}

// noisyReclaims is how many times a step may be taken over before each further time is an error in the log.
const noisyReclaims = 10

func (w *Worker) reportSweep(e Event, state State) {
	log := w.log.With("run_id", e.RunID, "node", e.Node, "attempt", e.Attempt, "reclaims", e.Reclaims)
	e.Kind = EventReclaimed
	switch {
	case state == StateDiscarded:
		e.Kind = EventDiscarded
		log.Error("idem: step discarded, its workers died on it too often", "reason", string(e.Reason))
	case e.Reclaims > noisyReclaims:
		log.Error("idem: a step keeps losing its workers; look at what its handler does, or bound it with max_reclaims=")
	default:
		log.Warn("idem: step taken over from a worker that does not answer")
	}
	w.observe(e)
	if state == StatePending {
		w.announceWork(e.Queue)
	}
}
