package commit

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/step"
)

// maxDoubts is how often a step's commit may break the connection before that counts as its handler's doing, which then has
// the same number of chances as with a statement of its own.
const maxDoubts = 3

// maxConflicts is how often a completion is sent again after a conflict with another transaction.
const maxConflicts = 3

// Directly completes a step within the transaction that its handler wrote through: the writes that are still kept, the fenced
// completion and the commit travel in one round trip. again asks for the same attempt once more.
func (c *Committer) Directly(s *lease.Held) (again bool) {
	ctx, cancel := context.WithTimeout(c.Lasting, c.Within)
	defer cancel()
	ex := s.Execution()
	err := ex.Complete(ctx, func(b *pgx.Batch) { c.queueFence(b, []*lease.Held{s}) })
	switch {
	case err == nil:
		ex.Release()
		c.Completed(s)
		return false
	case !failure.Answered(err):
		ex.Release()
		c.Doubt(s)
		c.Resolve(s, err)
		return false
	case failure.Of(err) == failure.LeaseLost:
		ex.Release()
		c.Lost(s)
		return false
	}
	return c.Conclude(s, ex.GiveUp(err))
}

// Conclude settles a step that is not to be completed. again asks for the same attempt once more.
func (c *Committer) Conclude(s *lease.Held, o step.Outcome) (again bool) {
	if o.Kind == step.Rerun {
		s.Unsettle()
		return true
	}
	c.Settle(s, o)
	return false
}

// queueFence queues the fenced completion of a group.
func (c *Committer) queueFence(b *pgx.Batch, group []*lease.Held) {
	if len(group) == 1 {
		s := group[0]
		b.Queue(c.SQL.CompleteOne, s.ID, s.Epoch, jsonText(s.Output))
		return
	}
	ids, epochs, outputs := make([]int64, len(group)), make([]int64, len(group)), make([]*string, len(group))
	for i, s := range group {
		ids[i], epochs[i], outputs[i] = s.ID, s.Epoch, jsonText(s.Output)
	}
	b.Queue(c.SQL.Complete, ids, epochs, outputs)
}

// jsonText is an argument for a json value: nil is NULL.
func jsonText(output []byte) *string {
	if output == nil {
		return nil
	}
	text := string(output)
	return &text
}

// alone completes one step in a transaction of its own, as often as it takes: the writes are data,
// so that nothing but the database is needed. Whether an earlier try whose answer was lost has committed
// shows at the fence.
func (c *Committer) alone(s *lease.Held) {
	for try, conflicts := 1, 0; ; try++ {
		_, err := c.commit(c.Handlers, []*lease.Held{s}, nil)
		s.Execution().RoundTrip()
		if err == nil {
			note(s.Handler, false)
			c.Observe(lifecycle.Event{Kind: lifecycle.EventGroup, Count: 1, Trips: 1})
			c.Completed(s)
			return
		}
		switch failure.Of(err) {
		case failure.LeaseLost:
			c.Lost(s)
			return
		case failure.Statement:
			note(s.Handler, true)
			c.Settle(s, s.Execution().Refused(err))
			return
		case failure.Conflict:
			if conflicts++; conflicts > maxConflicts {
				note(s.Handler, true)
				c.Settle(s, s.Failed(lifecycle.ReasonEffectFailed, err))
				return
			}
		case failure.Unreachable:
			c.Unreachable("complete", try, err)
			if s.Doubts > maxDoubts {
				c.Settle(s, s.Execution().Judge(&failure.Interrupted{Err: err}))
				return
			}
		}
		if !pace.Pause(c.Lasting, pace.Jitter(pace.Backoff(10*time.Millisecond, try, 2*time.Second))) {
			c.Log.Error("idem: a step could not be completed before the worker ended; the sweep will take it back", "run_id", s.RunID, "node", s.Node, "error", err)
			c.Finished(s)
			return
		}
	}
}

// commit sends the writes and the completions of a group as one pipeline, which is one transaction and
// one round trip. tables, if not nil, are the writes by table, which are then one statement each. failed is the place in
// group of the step whose write was refused, or -1.
func (c *Committer) commit(pool *pgxpool.Pool, group []*lease.Held, tables []*rowsOf) (failed int, err error) {
	ctx, cancel := context.WithTimeout(c.Lasting, c.Within)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return -1, fmt.Errorf("idem: no connection to commit with: %w", err)
	}
	defer conn.Release()
	b := &pgx.Batch{}
	origin := queueWrites(b, group, tables)
	statements := b.Len()
	c.queueFence(b, group)
	br := conn.SendBatch(ctx, b)
	for i := range statements {
		if _, err = br.Exec(); err == nil {
			continue
		}
		_ = br.Close()
		switch err = c.doubt(group, err); {
		case tables != nil, failure.Unsent(err):
			return -1, err // it says nothing about whose write it was
		case failure.Answered(err):
			ex := group[origin[i].step].Execution()
			err = ex.Writes()[origin[i].write].Explain(ex, err)
		}
		return origin[i].step, err
	}
	_, err = br.Exec()
	// A deferred constraint speaks only at the end of the pipeline.
	if closed := br.Close(); err == nil {
		err = closed
	}
	return -1, c.doubt(group, err)
}

// place is where a statement of a batch comes from: a step of the group, and one of its writes.
type place struct{ step, write int }

// queueWrites queues the writes of a group, by table if tables is not nil. Of writes that have a statement each it returns
// the places.
func queueWrites(b *pgx.Batch, group []*lease.Held, tables []*rowsOf) (origin []place) {
	for _, t := range tables {
		t.queue(b)
	}
	if tables != nil {
		return nil
	}
	for i, s := range group {
		writes := s.Execution().Writes()
		for j := range writes {
			writes[j].Queue(b)
			origin = append(origin, place{i, j})
		}
	}
	return origin
}

// doubt marks the group's steps when the server did not answer: their completion may be committed.
func (c *Committer) doubt(group []*lease.Held, err error) error {
	if err == nil || failure.Answered(err) {
		return err
	}
	for _, s := range group {
		c.Doubt(s)
	}
	return err
}
