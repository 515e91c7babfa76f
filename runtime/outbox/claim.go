package outbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// claims takes commands until ctx ends. It takes the next ones while others are being sent.
func (r *Relay) claims(ctx context.Context) {
	poll := time.NewTimer(0)
	defer poll.Stop()
	for failures := 0; ctx.Err() == nil; {
		more, err := r.claim(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failures++
			r.unreachable("claim", failures, err)
			if !pace.Pause(ctx, pace.Spread(pace.Backoff(50*time.Millisecond, failures, 2*time.Second))) {
				return
			}
			continue
		case more:
			continue
		}
		failures = 0
		poll.Reset(pace.Spread(r.cfg.Poll * 2 / 3))
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-r.lanes.room:
		case <-poll.C:
		}
	}
}

// claim takes what is due and there is room for. more tells that it is worth to ask again at once.
func (r *Relay) claim(ctx context.Context) (more bool, err error) {
	now := time.Now()
	limit, destinations, rooms := r.lanes.rooms(now)
	if limit == 0 {
		return false, nil
	}
	// Not ctx: a claim that is cut short may be committed, and its commands would wait for the lease to run out.
	within, cancel := context.WithTimeout(r.lasting, r.cfg.Lease)
	defer cancel()
	batch, err := r.take(within, now, pgx.NamedArgs{
		"limit": limit, "lease": r.cfg.Lease.Microseconds(), "after": r.after,
		"destinations": destinations, "rooms": rooms, "share": r.cfg.PerDestination,
	})
	if err != nil {
		return false, err
	}
	wrapped := r.turn(batch, limit)
	if len(batch) > 0 {
		probe.At(probe.RelayAfterClaim, batch[0].RunID, batch[0].Node)
		r.observe(Event{Kind: EventClaimed, Count: len(batch)})
	}
	for _, c := range r.lanes.add(batch, limit, time.Now()) {
		r.release(c)
	}
	return wrapped, nil
}

// take runs the claim. It commits by itself: nothing is held while the commands are being sent.
func (r *Relay) take(ctx context.Context, now time.Time, args pgx.NamedArgs) ([]*claimed, error) {
	rows, err := r.pool.Query(ctx, r.table.ClaimSQL, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*claimed, error) {
		c := &claimed{claimed: now}
		c.Table = r.table.Effect.Table
		var since int64
		err := row.Scan(&c.ID, &c.RunID, &c.Node, &c.epoch, &c.Attempt, &since, &c.QueuedAt, &c.To, &c.Key, &c.Body)
		c.since = time.Duration(since) * time.Microsecond
		return c, err
	})
}

// turn sets where the next claim goes on, so that everybody has his turn, however many there are: behind the last
// destination or key of a full claim, else at the beginning. wrapped tells that the beginning was not looked at.
func (r *Relay) turn(batch []*claimed, limit int) (wrapped bool) {
	if !r.table.Destinations && !r.table.Ordered {
		return false
	}
	began := r.after
	r.after = ""
	if len(batch) == limit {
		for _, c := range batch {
			at := c.To
			if r.table.Ordered {
				at = c.Key
			}
			// Nothing is between a text and the same with the least character that Postgres allows.
			r.after = max(r.after, at+"\x01")
		}
	}
	return began != "" && r.after == ""
}

// outOfTime reports whether too little of the lease is left for a send, and for what comes after it.
func (r *Relay) outOfTime(c *claimed) bool {
	return time.Since(c.claimed)+r.cfg.SendTimeout+r.cfg.Lease/10 > r.cfg.Lease
}
