package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// sweepPage is how many expired leases one statement takes back.
const sweepPage = 100

// sweeps takes steps back whose worker has not renewed their lease. Every worker sweeps; there is no
// leader, and jitter keeps them apart.
func (w *Worker) sweeps(ctx context.Context) {
	h := horizon{keep: 2 * w.cfg.Sweep}
	for failures := 0; pace.Pause(ctx, w.sweepPause(failures)); {
		if err := w.sweepFrom(ctx, &h); err != nil && ctx.Err() == nil {
			failures++
			w.unreachable("sweep", failures, err)
			continue
		}
		failures = 0
	}
}

// horizon is how far back a sweep looks, which keeps it from what [frontier] keeps claims from: while an old snapshot is held
// open, or nobody vacuums, every lease that there was is still in the index, and a sweep of all of them takes the longer
// the longer that lasts. What ran out before the sweep before was taken back by it, but for what was locked at the time or
// committed late: sweeps of all find that, which take a thirtieth of the time at most. Usually every sweep is one.
type horizon struct {
	keep  time.Duration // what ran out no longer ago than this, before the last sweep, is looked at again
	swept time.Time     // when the last sweep looked, by the database's clock
	looks               // at all leases; the first sweep is one
}

// from is where a sweep begins, and whether that is at the beginning.
func (h *horizon) from(now time.Time) (at pgtype.Timestamptz, whole bool) {
	if h.due(now) {
		return beginning, true
	}
	return pgtype.Timestamptz{Time: h.swept.Add(-h.keep), Valid: true}, false
}

// sweepFrom looks whether leases have run out, which costs an idle database less than a sweep does, and sweeps if so.
func (w *Worker) sweepFrom(ctx context.Context, h *horizon) error {
	began := time.Now()
	from, whole := h.from(began)
	found, at, err := w.expiredLeases(ctx, from)
	if err == nil && found {
		err = w.sweep(from)
	}
	if err != nil {
		return err
	}
	h.swept = at
	if whole {
		h.took(began, time.Now())
	}
	return nil
}

func (w *Worker) sweepPause(failures int) time.Duration {
	if failures > 0 {
		return min(w.cfg.Sweep, pace.Jitter(pace.Backoff(100*time.Millisecond, failures, 2*time.Second)))
	}
	return pace.Jitter(w.cfg.Sweep)
}

// expiredLeases tells whether a sweep would find something, and when, by the database's clock.
func (w *Worker) expiredLeases(ctx context.Context, from pgtype.Timestamptz) (found bool, at time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Lease)
	defer cancel()
	err = w.control.QueryRow(ctx, w.sql.expired, from).Scan(&found, &at)
	return found, at, err
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
