package step

import (
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
)

// RunIn executes s once in tx, the caller's own transaction, and returns what has become of it. Where that is [Completed],
// all writes of the step are in tx, and the fence, if there is one, has held: the caller commits. After any other outcome the
// caller rolls back. RunIn returns when the handler does, or when its timeout and the grace are over; the handler then cannot
// write any more, although it may still run, and tx cannot be used for anything but its end.
func RunIn(h *Host, s *Step, tx pgx.Tx, fence Fence) Outcome {
	ex := NewIn(h, s, tx)
	one := &single{fence: fence, outcome: make(chan Outcome, 1)}
	go ex.Run(one) // a handler that ends its goroutine must not end the caller's
	return <-one.outcome
}

// single is the owner of an execution in a lent transaction.
type single struct {
	fence   Fence
	settled atomic.Bool
	outcome chan Outcome
}

// Returned implements [Owner].
func (o *single) Returned(ex *Execution, r Return) (again bool) {
	if !o.settled.CompareAndSwap(false, true) {
		ex.tx.Release()
		return false
	}
	o.outcome <- o.conclude(ex, r)
	return false
}

func (o *single) conclude(ex *Execution, r Return) Outcome {
	if !errors.Is(r.Cause, errReturned) {
		ex.tx.kill() // the transaction is its owner's again, whatever the handler left behind
	}
	out := ex.Conclude(r)
	if out.Kind == Completed {
		if err := ex.Complete(ex.Host.Lasting, o.fence); err != nil {
			out = ex.refusedCompletion(err)
		}
	}
	ex.tx.Release()
	if out.Kind == Rerun {
		// Only whoever began the transaction can begin another one.
		out = Outcome{Kind: Released, Reason: lifecycle.ReasonInterrupted, Interrupted: true, Err: out.Err}
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
	ex.Host.Observe(ex.Step.Event(lifecycle.EventStuck))
	ex.tx.kill()
	o.outcome <- ex.Step.Failed(lifecycle.ReasonTimeout, failure.ErrAttemptTimeout)
}

// Refused judges an error of writes that were sent with the completion: the handler could not see it.
func (ex *Execution) Refused(err error) Outcome {
	o := ex.Judge(err)
	if o.Reason == lifecycle.ReasonError {
		o.Reason = lifecycle.ReasonEffectFailed
	}
	return o
}
