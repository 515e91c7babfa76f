package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// claimLimit bounds one claim, so that a worker with many places does not take a whole queue.
const claimLimit = 500

// claims takes steps of q as long as there are free places. Places that become free while a claim is under way are
// filled by the next one, so that claims grow with the load.
func (w *Worker) claims(ctx context.Context, q *queue) {
	for failures := 0; ; {
		free := q.take(ctx, claimLimit)
		if free == 0 {
			return
		}
		c := w.nextClaim(ctx, q, free)
		steps, err := w.claim(q, c)
		q.put(free - len(steps))
		if c.these == nil { // a claim of known steps says nothing about others
			q.backlog.note(err == nil && len(steps) == free, time.Now())
		}
		for _, s := range steps {
			w.hold(s)
			w.start(s)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failures++
			w.unreachable("claim", failures, err)
			if !pace.Pause(ctx, pace.Jitter(pace.Backoff(50*time.Millisecond, failures, 2*time.Second))) {
				return
			}
		case len(steps) < free && c.these == nil:
			failures = 0
			if !w.rest(ctx, q, c.whole) {
				return
			}
		default:
			failures = 0
		}
	}
}

// claim is what one claim asks for.
type claim struct {
	limit int
	whole bool    // from the beginning, and not from the frontier
	these []int64 // or these steps, and no others
}

// nextClaim says what the next claim of up to limit steps is. It also lets somebody look for stragglers when it is time to.
func (w *Worker) nextClaim(ctx context.Context, q *queue, limit int) claim {
	ids := w.seen(ctx, q)
	ids = q.stragglers.fill(ids[:min(limit, len(ids))], limit) // what is cut off is found again
	if len(ids) > 0 {
		return claim{these: ids}
	}
	w.lookBehind(ctx, q)
	return claim{limit: limit, whole: q.frontier.whole(time.Now())}
}

// rest waits until work is announced, or is due; false means that ctx ended. A poll only looks: with many workers that have
// nothing to do, claims of nothing would be what keeps the database busy. It also learns when the next step is due, that
// was enqueued for later. It looks from the beginning, as a whole claim does, and counts as one: where that takes long, a claim
// from the frontier is the poll, and where the last claim began there, the next whole one need not be announced.
func (w *Worker) rest(ctx context.Context, q *queue, whole bool) bool {
	f := &q.frontier
	pause := pace.Jitter(w.cfg.Poll / 2)
	if !whole && !f.slow {
		pause = min(pause, time.Until(f.next))
	}
	for {
		switch pace.Await(ctx, q.wake, pause) {
		case pace.Ended:
			return false
		case pace.Woken:
			return true
		}
		began := time.Now()
		if !whole || !f.whole(began) {
			return true
		}
		due := w.nextDue(ctx, q)
		f.took(began, time.Now())
		if due <= 0 {
			return true
		}
		pause = min(due, pace.Spread(w.cfg.Poll*2/3))
		if f.slow {
			pause = max(pause, time.Until(f.next))
		}
	}
}

// nextDue asks when the queue's next step is due. An error counts as now: the claim that follows reports it. It also looks for
// leases that have run out, which costs little beside what a statement costs at all.
func (w *Worker) nextDue(ctx context.Context, q *queue) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Lease)
	defer cancel()
	var expired pgtype.Timestamptz
	var at time.Time
	var micros *int64
	if err := w.control.QueryRow(ctx, w.sql.due, w.horizon.from(), w.cfg.Lease.Microseconds(), q.name, q.nodes).Scan(&expired, &at, &micros); err != nil {
		return 0
	}
	if expired.Valid {
		pace.Signal(w.expired)
	} else {
		w.horizon.passed(at, time.Now())
	}
	if micros == nil {
		return w.cfg.Poll
	}
	return time.Duration(*micros) * time.Microsecond
}

// claim takes due steps. It does not end with the worker's stop: a claim whose answer nobody reads would leave steps leased.
func (w *Worker) claim(q *queue, c claim) ([]*heldStep, error) {
	ctx, cancel := context.WithTimeout(w.lasting, w.cfg.Lease)
	defer cancel()
	began := time.Now()
	rows, err := w.claimRows(ctx, q, c)
	if err != nil {
		return nil, err
	}
	steps := make([]*heldStep, 0, max(c.limit, len(c.these)))
	defer rows.Close()
	var first, at time.Time // when the claimed steps were due
	var firstID int64
	for rows.Next() {
		s := &heldStep{queue: q}
		if err := rows.Scan(&s.id, &s.runID, &s.node, &s.epoch, &s.attempt, &s.reclaims, &s.interruptions, &s.maxAttempts,
			(*rawBytes)(&s.input), &at); err != nil {
			return nil, err
		}
		if firstID == 0 || at.Before(first) || at.Equal(first) && s.id < firstID {
			first, firstID = at, s.id
		}
		s.handler = w.reg.handlers[s.node]
		steps = append(steps, s)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if c.whole {
		q.frontier.took(began, time.Now())
	}
	if len(steps) > 0 {
		q.frontier.advance(first, firstID)
		w.observe(Event{Kind: EventClaimed, Queue: q.name, Count: len(steps)})
		probe.At(probe.ClaimAfterCommit, steps[0].runID, steps[0].node)
	}
	return steps, nil
}

func (w *Worker) claimRows(ctx context.Context, q *queue, c claim) (pgx.Rows, error) {
	lease := w.cfg.Lease.Microseconds()
	if c.these != nil {
		return w.control.Query(ctx, w.sql.claimThese, w.name, lease, q.name, q.nodes, c.these)
	}
	at, id := q.frontier.bound(c.whole)
	return w.control.Query(ctx, w.sql.claim, w.name, lease, q.name, q.nodes, c.limit, at, id)
}

// rawBytes takes a json column's bytes as they are.
type rawBytes []byte

var _ pgtype.BytesScanner = (*rawBytes)(nil)

// ScanBytes implements [pgtype.BytesScanner].
func (b *rawBytes) ScanBytes(v []byte) error {
	*b = append([]byte(nil), v...)
	return nil
}

// unreachable reports that the database did not do what a loop needs, without flooding the log.
func (w *Worker) unreachable(what string, failures int, err error) {
	if failures == 1 || failures%20 == 0 {
		w.log.Warn("idem: the database cannot be used, trying again", "what", what, "failures", failures, "error", err)
	}
	w.observe(Event{Kind: EventUnreachable, Err: err})
	w.forgetDemoted(err)
}

// forgetDemoted drops all connections when the server has become read-only: a connection to a demoted server
// stays there for ever, a new one may find the new primary.
func (w *Worker) forgetDemoted(err error) {
	if isCode(err, "25006") {
		w.control.Reset()
		w.handlers.Reset()
		w.aside.Reset()
	}
}
