package claim

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/internal/schedule"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

// Loop claims steps for a worker.
type Loop struct {
	*step.Host
	Handlers map[string]*step.Handler // by node
	Lease    time.Duration
	Poll     time.Duration // how long to wait before looking for steps that nobody announced
	Leases   Leases        // is told what polls see
	Start    func(*lease.Held)
}

// Leases is who looks for leases that have run out. Polls look for them too, which costs little beside what a statement
// costs at all.
type Leases interface {
	// From returns from where on a poll looks for them; zero: those of the last lease.
	From() time.Time
	// Expired is told that a poll has found one.
	Expired()
	// Passed is told that a poll has found none at that time, by the database's clock.
	Passed(at time.Time)
}

// Run takes steps of q as long as there are free places, until ctx ends. Places that become free while a claim is under way are
// filled by the next one, so that claims grow with the load.
func (l *Loop) Run(ctx context.Context, q *Queue) {
	for failures := 0; ; {
		free := q.Take(ctx, schedule.ClaimLimit)
		if free == 0 {
			return
		}
		c := l.Next(ctx, q, free)
		steps, err := l.Claim(q, c)
		q.Put(free - len(steps))
		if c.These == nil { // a claim of known steps says nothing about others
			q.noteBacklog(err == nil && len(steps) == free, time.Now())
		}
		for _, s := range steps {
			l.Start(s)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failures++
			l.Unreachable("claim", failures, err)
			if !pace.Pause(ctx, pace.Jitter(pace.Backoff(50*time.Millisecond, failures, 2*time.Second))) {
				return
			}
		case len(steps) < free && c.These == nil:
			failures = 0
			if !l.rest(ctx, q, c) {
				return
			}
		default:
			failures = 0
		}
	}
}

// Next plans the next claim, and starts the scan beside it that is due.
func (l *Loop) Next(ctx context.Context, q *Queue, limit int) schedule.Claim {
	l.collect(ctx, q, limit)
	var c schedule.Claim
	c, q.Seen = schedule.PlanClaim(q.Seen, time.Now(), limit)
	if c.Beside != nil {
		go l.scan(ctx, q, *c.Beside)
	}
	return c
}

// rest waits until work is announced, or is due; false means that ctx ended. It also learns when the next step is due that was
// enqueued for later.
func (l *Loop) rest(ctx context.Context, q *Queue, last schedule.Claim) bool {
	pause := schedule.PlanRest(q.Seen, last, time.Now(), pace.Jitter(l.Poll/2))
	for {
		switch pace.Await(ctx, q.wake, pause) {
		case pace.Ended:
			return false
		case pace.Woken:
			return true
		}
		began := time.Now()
		if !schedule.PlanPoll(q.Seen, last, began) {
			return true
		}
		due := l.nextDue(ctx, q)
		ended := time.Now()
		q.Seen.Polled(began, ended)
		if due <= 0 {
			return true
		}
		pause = schedule.PlanNextPoll(q.Seen, ended, due, pace.Spread(l.Poll*2/3))
	}
}

// nextDue asks when the queue's next step is due. An error counts as now: the claim that follows reports it.
func (l *Loop) nextDue(ctx context.Context, q *Queue) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, l.Within)
	defer cancel()
	var expired pgtype.Timestamptz
	var at time.Time
	var micros *int64
	from := store.Time(l.Leases.From())
	if err := l.Control.QueryRow(ctx, l.SQL.Due, from, l.Lease.Microseconds(), q.Name, q.Nodes).Scan(&expired, &at, &micros); err != nil {
		return 0
	}
	if expired.Valid {
		l.Leases.Expired()
	} else {
		l.Leases.Passed(at)
	}
	if micros == nil {
		return l.Poll
	}
	return time.Duration(*micros) * time.Microsecond
}

// Claim takes due steps. It does not end with the worker's stop: a claim whose answer nobody reads would leave steps leased.
func (l *Loop) Claim(q *Queue, c schedule.Claim) ([]*lease.Held, error) {
	ctx, cancel := context.WithTimeout(l.Lasting, l.Within)
	defer cancel()
	began := time.Now()
	rows, err := l.query(ctx, q, c)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	steps := make([]*lease.Held, 0, max(c.Limit, len(c.These)))
	var first schedule.Cursor // of the claimed steps
	for rows.Next() {
		s := &lease.Held{Place: q}
		var at time.Time
		if err := rows.Scan(&s.ID, &s.RunID, &s.Node, &s.Epoch, &s.Attempt, &s.Reclaims, &s.Interruptions, &s.MaxAttempts,
			(*store.RawBytes)(&s.Input), &at); err != nil {
			return nil, err
		}
		if first.ID == 0 || at.Before(first.At) || at.Equal(first.At) && s.ID < first.ID {
			first = schedule.Cursor{At: at, ID: s.ID}
		}
		s.Handler = l.Handlers[s.Node]
		steps = append(steps, s)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	q.Seen.Claimed(c, first, began, time.Now())
	if len(steps) > 0 {
		l.Observe(lifecycle.Event{Kind: lifecycle.EventClaimed, Queue: q.Name, Count: len(steps)})
		probe.At(probe.ClaimAfterCommit, steps[0].RunID, steps[0].Node)
	}
	return steps, nil
}

func (l *Loop) query(ctx context.Context, q *Queue, c schedule.Claim) (pgx.Rows, error) {
	micros := l.Lease.Microseconds()
	if c.These != nil {
		return l.Control.Query(ctx, l.SQL.ClaimThese, l.Name, micros, q.Name, q.Nodes, c.These)
	}
	return l.Control.Query(ctx, l.SQL.Claim, l.Name, micros, q.Name, q.Nodes, c.Limit, store.From(c.From.At), c.From.ID)
}
