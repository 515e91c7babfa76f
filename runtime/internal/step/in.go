package step

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
)

// RunIn executes s once in tx, the caller's own transaction, and returns what has become of it. Where that is [Completed],
// all writes of the step are in tx, and the fence, if there is one, has held: the caller commits. After any other outcome the
// caller rolls back, to a savepoint if tx is one. The same step may be run again, in another transaction.
//
// RunIn returns when the handler does, or when its timeout and the grace are over, or the host's Steps have ended for that
// long; the handler then cannot write any more, although it may still run, and tx cannot be used for anything but its end. What
// is no transaction to write in, is refused with [ErrNoTransaction] before the handler runs.
func RunIn(h *Host, s *Step, tx pgx.Tx, fence Fence) Outcome {
	attempt, host := *s, *h
	host.Steps = context.WithoutCancel(h.Steps)
	ex := NewIn(&host, &attempt, tx)
	if ex.tx.broken != nil {
		return ex.interruption(ex.tx.broken)
	}
	one := &single{fence: fence, end: make(chan func() Outcome, 1)}
	// A handler that sees the end of its context must find that the attempt is ended, or its return would count as a failure.
	stop := context.AfterFunc(h.Steps, func() {
		if cause := stopped(h.Steps); errors.Is(ex.End(cause), cause) {
			time.AfterFunc(h.Grace, func() { one.Overran(ex) })
		}
	})
	defer stop()
	go ex.Run(one) // a handler that ends its goroutine must not end the caller's
	return (<-one.end)()
}

// stopped returns why a host's handlers must stop.
func stopped(steps context.Context) error {
	if errors.Is(context.Cause(steps), failure.ErrLeaseLost) {
		return failure.ErrLeaseLost
	}
	return failure.ErrShutdown
}

// single is the owner of an execution in a lent transaction.
type single struct {
	fence   Fence
	settled atomic.Bool
	end     chan func() Outcome // what the caller does about the end, on its own goroutine
}

// Returned implements [Owner].
func (o *single) Returned(ex *Execution, r Return) (again bool) {
	if !o.settled.CompareAndSwap(false, true) {
		ex.tx.release()
		ex.Host.Observe(ex.Step.Event(lifecycle.EventUnstuck))
		return false
	}
	o.end <- func() Outcome { return o.conclude(ex, r) }
	return false
}

func (o *single) conclude(ex *Execution, r Return) Outcome {
	if !errors.Is(r.Cause, errReturned) {
		ex.tx.kill() // the transaction is its owner's again, whatever the handler left behind
	}
	out := ex.Conclude(r)
	if out.Kind == Completed {
		ctx, cancel := ex.Host.Bound(ex.Host.Lasting)
		defer cancel()
		if err := ex.Complete(ctx, o.fence); err != nil {
			out = ex.refusedCompletion(err)
		}
	}
	ex.tx.release()
	if out.Kind == Rerun { // only whoever began the transaction can begin another one
		return ex.interruption(out.Err)
	}
	return out
}

// refusedCompletion judges why a completion in a lent transaction was refused.
func (ex *Execution) refusedCompletion(err error) Outcome {
	if errors.Is(err, failure.ErrLeaseLost) || failure.Of(err) == failure.LeaseLost {
		return Outcome{Kind: Lost, Err: err}
	}
	if !failure.Answered(err) {
		err = &failure.Interrupted{Err: err} // it cannot be committed: nobody has sent that
	}
	return ex.Refused(err)
}

// Overran implements [Owner].
func (o *single) Overran(ex *Execution) {
	if !o.settled.CompareAndSwap(false, true) {
		return
	}
	o.end <- func() Outcome {
		ex.Host.Observe(ex.Step.Event(lifecycle.EventStuck))
		ex.tx.cut() // without waiting for a handler that is inside a call
		out, _ := ex.Step.cutOff(ex.End(failure.ErrAttemptTimeout), nil)
		return out
	}
}

// Refused judges an error of writes that were sent with the completion: the handler could not see it.
func (ex *Execution) Refused(err error) Outcome {
	o := ex.Judge(err)
	if o.Reason == lifecycle.ReasonError {
		o.Reason = lifecycle.ReasonEffectFailed
	}
	return o
}
