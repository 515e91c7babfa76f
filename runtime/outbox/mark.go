package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/value"
)

// result is what is to be recorded of a claimed command.
type result struct {
	c       *claimed
	state   State
	event   EventKind
	unsent  bool // it was not sent this time: the attempt does not count
	delay   time.Duration
	receipt []byte
	err     error
}

var errPastWindow = errors.New("idem: the receiver may have forgotten the command's id, and its outcome is not known; find out before sending it again")

// outcome says what follows from a send.
func (r *Relay) outcome(c *claimed, o Outcome) result {
	res := result{c: c, receipt: o.receipt, err: o.Err()}
	switch o.kind {
	case kindConfirmed:
		res.state, res.event = StateDelivered, EventDelivered
		if res.receipt == nil {
			res.receipt = []byte{}
		}
	case kindRejected:
		res.state, res.event = StateRejected, EventRejected
	case kindQuarantined:
		res.state, res.event = StateQuarantined, EventQuarantined
	case kindParked:
		res.state, res.event = StateParked, EventParked
	default:
		r.again(c, o, &res)
	}
	return res
}

// again lets a command be sent again, unless that is over.
func (r *Relay) again(c *claimed, o Outcome, res *result) {
	// What the receiver asked for is a least pause, and so is the backoff: the jitter comes on top of the longer one.
	res.delay = pace.Spread(pace.Backoff(r.cfg.Backoff, c.Attempt, r.cfg.MaxBackoff))
	if after := min(o.after, r.cfg.MaxRetryAfter); after > res.delay {
		res.delay = after + pace.Spread(r.cfg.Backoff)/2
	}
	switch {
	case c.Attempt >= r.cfg.MaxAttempts:
		res.state, res.event = StateDead, EventDead
	case r.pastWindow(c, res.delay):
		res.state, res.event = StateDead, EventDead
		res.err = fmt.Errorf("%w (%w)", errPastWindow, res.err)
	default:
		res.state, res.event = StatePending, EventRetried
	}
}

// release returns a command back that was not sent.
func (r *Relay) release(c *claimed) {
	r.results <- result{c: c, state: StatePending, event: EventReleased, unsent: true}
}

// A relay whose outcomes come in numbers lets them gather for a moment before it records the next ones: a statement for a
// hundred costs little more than one for ten. Commands in order do not wait for that, the next of their key would too.
const (
	manyOutcomes = 16
	markRest     = 5 * time.Millisecond
)

// mark records outcomes, as many at a time as are waiting. A relay with little to do records each at once.
func (r *Relay) mark() {
	for res := range r.results {
		batch := append(make([]result, 0, 64), res)
		for len(batch) < r.cfg.Batch {
			select {
			case next, open := <-r.results:
				if open {
					batch = append(batch, next)
					continue
				}
			default:
			}
			break
		}
		r.markBatch(batch)
		if len(batch) >= manyOutcomes && len(r.results) < r.cfg.Batch/2 && !r.table.Ordered {
			time.Sleep(markRest)
		}
	}
}

// markBatch records a batch, and tries again while the database does not answer: until then nothing that was claimed
// with it is lost, it is only sent again. An error that is one command's fault does not cost the others.
func (r *Relay) markBatch(batch []result) {
	slices.SortFunc(batch, func(a, b result) int { return cmp.Compare(a.c.ID, b.c.ID) }) // relays lock rows in one order
	for try := 1; ; try++ {
		late, err := r.markOnce(batch)
		switch {
		case err == nil:
			r.report(batch, late)
			return
		case !failure.Passing(err) && len(batch) > 1:
			for i := range batch {
				r.markBatch(batch[i : i+1])
			}
			return
		case !failure.Passing(err) && try == 1 && batch[0].err != nil:
			// The database's encoding may lack a character of the error's text. The outcome matters more than its wording.
			batch[0].err = errors.New(value.ASCII(errorText(batch[0].err)))
			continue
		case !failure.Passing(err):
			r.log.Error("idem: an outcome could not be recorded; the command will be sent again", "command_id", batch[0].c.ID, "error", err)
			return
		}
		r.unreachable("mark", try, err)
		if !pace.Pause(r.lasting, pace.Spread(pace.Backoff(20*time.Millisecond, try, 2*time.Second))) {
			r.log.Error("idem: outcomes could not be recorded before the relay ended; the commands will be sent again", "count", len(batch), "error", err)
			return
		}
	}
}

// markOnce records a batch and returns the places of those that it came too late for.
func (r *Relay) markOnce(batch []result) (late map[string]bool, err error) {
	ctx, cancel := context.WithTimeout(r.lasting, r.cfg.Lease)
	defer cancel()
	args := markArgs(batch)
	tag, err := r.pool.Exec(ctx, r.sql.mark, args)
	if err != nil || tag.RowsAffected() == int64(len(batch)) {
		return nil, err
	}
	rows, err := r.pool.Query(ctx, r.sql.marked, args)
	if err != nil {
		return nil, err
	}
	marked, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	late = make(map[string]bool, len(batch))
	for _, res := range batch {
		late[res.c.ID] = !slices.Contains(marked, res.c.ID)
	}
	return late, nil
}

func markArgs(batch []result) pgx.NamedArgs {
	n := len(batch)
	ids, epochs, states := make([]string, n), make([]int64, n), make([]string, n)
	unsent, delays := make([]int32, n), make([]int64, n)
	receipts, texts := make([][]byte, n), make([]*string, n)
	for i, res := range batch {
		ids[i], epochs[i], states[i] = res.c.ID, res.c.epoch, string(res.state)
		delays[i], receipts[i] = res.delay.Microseconds(), res.receipt
		if res.unsent {
			unsent[i] = 1
		}
		if res.err != nil {
			text := errorText(res.err)
			texts[i] = &text
		}
	}
	return pgx.NamedArgs{"ids": ids, "epochs": epochs, "states": states, "unsent": unsent, "delays": delays, "receipts": receipts, "errors": texts}
}

// report says what was recorded, to the observer and, where people should know, in the log.
func (r *Relay) report(batch []result, late map[string]bool) {
	released := 0
	for _, res := range batch {
		switch {
		case late[res.c.ID]:
			r.observe(Event{Kind: EventLate, CommandID: res.c.ID, Destination: res.c.To, Attempt: res.c.Attempt})
			r.log.Warn("idem: a claim was lost before its outcome was recorded; whoever has the command now decides", "command_id", res.c.ID, "outcome", string(res.event))
		case res.event == EventReleased:
			released++
		default:
			r.reportOne(res)
		}
	}
	if released > 0 {
		r.observe(Event{Kind: EventReleased, Count: released})
	}
	if r.table.Ordered && released < len(batch) {
		r.Wake() // what stood behind these is now at the head
	}
}

func (r *Relay) reportOne(res result) {
	r.observe(Event{
		Kind: res.event, CommandID: res.c.ID, Destination: res.c.To, Attempt: res.c.Attempt,
		Err: res.err, Duration: res.c.duration, Delay: res.delay,
	})
	if res.event == EventDelivered {
		return // what is as it should be is not worth the log's work
	}
	log := r.log.With("command_id", res.c.ID, "run_id", res.c.RunID, "node", res.c.Node, "attempt", res.c.Attempt)
	if res.event == EventRetried {
		log.Info("idem: the outcome of a send is not known, another follows", "error", res.err, "next", res.delay)
		return
	}
	log.Error("idem: a command will not be sent again", "state", string(res.state), "error", res.err)
}

func (r *Relay) unreachable(what string, try int, err error) {
	r.observe(Event{Kind: EventUnreachable, Err: err})
	if try == 1 || try%20 == 0 {
		r.log.Warn("idem: the database does not answer the relay, trying again", "what", what, "try", try, "error", err)
	}
}

// maxErrorText bounds what is stored of an error, in bytes.
const maxErrorText = 2048

// errorText makes an error storable whatever it says.
func errorText(err error) string { return value.Storable(err.Error(), maxErrorText) }
