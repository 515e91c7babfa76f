package step

import (
	"context"
	"errors"
	"time"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// Kind sorts outcomes by what has to follow.
type Kind int

// The kinds.
const (
	Completed Kind = iota // the handler is done, and its writes commit with the step's completion
	Retried               // the attempt failed, another follows
	Discarded             // given up: no other attempt follows
	Released              // it is to run again with its attempt unchanged: nobody's fault, or it waits
	Rerun                 // the same attempt runs again at once, in a new transaction
	Lost                  // the step is somebody else's now: nothing is to be said of it
)

// Outcome is what has become of an execution.
type Outcome struct {
	Kind        Kind
	Reason      lifecycle.Reason
	Interrupted bool          // the database failed the attempt
	Delay       time.Duration // before the step may run again
	Output      []byte        // of a completed step; nil for an action
	Err         error
}

// MaxInterruptions is how often the database may fail an attempt before its failures count as the handler's.
const MaxInterruptions = 10

const (
	maxReruns  = 3 // of an attempt, after serialization failures and deadlocks
	maxBackoff = time.Hour
)

// State returns the state that the step is in then.
func (o Outcome) State() lifecycle.State {
	switch o.Kind {
	case Completed:
		return lifecycle.StateCompleted
	case Discarded:
		return lifecycle.StateDiscarded
	}
	return lifecycle.StatePending
}

// Event returns the kind of event that tells of the outcome.
func (o Outcome) Event() lifecycle.Kind {
	switch o.Kind {
	case Completed:
		return lifecycle.EventCompleted
	case Discarded:
		return lifecycle.EventDiscarded
	case Retried:
		return lifecycle.EventRetried
	case Lost:
		return lifecycle.EventLeaseLost
	}
	return lifecycle.EventReleased
}

// Conclude judges what a handler's return means. The kept writes of a completed step are still to be sent, see
// [Execution.Complete]; of any other the completion transaction is over.
func (ex *Execution) Conclude(r Return) Outcome {
	s := ex.Step
	if o, cut := s.cutOff(r.Cause, r.Err); cut {
		ex.tx.release()
		return o
	}
	err := r.Err
	if err == nil {
		err = ex.tx.verdict()
	}
	if refused := ex.refusal(); refused != nil {
		err = refused
	}
	if err != nil {
		return ex.GiveUp(err)
	}
	s.Output = r.Output
	probe.At(probe.CompleteBeforeFence, s.RunID, s.Node)
	return Outcome{Kind: Completed, Output: r.Output}
}

// cutOff returns the outcome of an attempt that was ended before its handler was back, if it was. err is what that returned.
func (s *Step) cutOff(cause, err error) (o Outcome, cut bool) {
	switch {
	case errors.Is(cause, failure.ErrLeaseLost):
		return Outcome{Kind: Lost, Err: failure.ErrLeaseLost}, true
	case errors.Is(cause, failure.ErrShutdown):
		return HandedBack(nil), true
	case errors.Is(cause, failure.ErrAttemptTimeout):
		return s.Failed(lifecycle.ReasonTimeout, errors.Join(failure.ErrAttemptTimeout, err)), true
	}
	return Outcome{}, false
}

// GiveUp ends the completion transaction, which rolls one of the execution's own back, and judges what err means.
func (ex *Execution) GiveUp(err error) Outcome {
	ex.tx.release()
	o := ex.Judge(err)
	if o.Kind == Rerun {
		ex.Step.Reruns++
	}
	return o
}

// Judge says what an error means that kept the step from being completed.
func (ex *Execution) Judge(err error) Outcome {
	s := ex.Step
	var (
		permanent   *failure.Permanent
		waits       *failure.Waiting
		input       *failure.Input
		size        *failure.PayloadSizeError
		encoding    *failure.PayloadEncodingError
		panicked    *failure.PanicError
		interrupted *failure.Interrupted
	)
	switch {
	case errors.Is(err, failure.ErrPayloadMismatch):
		return discarded(lifecycle.ReasonPayloadMismatch, err)
	case errors.As(err, &permanent):
		return discarded(lifecycle.ReasonPermanent, err)
	case errors.As(err, &waits):
		return Outcome{Kind: Released, Reason: lifecycle.ReasonWaiting, Delay: waits.Delay, Err: err}
	case errors.As(err, &input):
		return discarded(lifecycle.ReasonInputUndecodable, err)
	case errors.As(err, &size) && size.What == "output":
		return discarded(lifecycle.ReasonOutputTooLarge, err)
	case errors.As(err, &encoding) && encoding.What == "output":
		return discarded(lifecycle.ReasonPayloadUnencodable, err)
	case errors.As(err, &panicked):
		return s.Failed(lifecycle.ReasonPanic, err)
	case errors.Is(err, failure.ErrTxControl):
		return s.Failed(lifecycle.ReasonTxControl, err)
	case errors.Is(err, failure.ErrTxAborted):
		return s.Failed(lifecycle.ReasonTxAborted, err)
	case failure.Rerun(err):
		if s.Reruns < maxReruns {
			return Outcome{Kind: Rerun, Err: err}
		}
		return s.Failed(lifecycle.ReasonError, err)
	case errors.As(err, &interrupted), ex.interrupted(err):
		return ex.interruption(err)
	}
	return s.Failed(lifecycle.ReasonError, err)
}

// interruption lets the same attempt run again later, unless the database has failed it too often: then the handler itself
// may be what makes it fail.
func (ex *Execution) interruption(err error) Outcome {
	s := ex.Step
	if s.Interruptions >= MaxInterruptions {
		return s.Failed(lifecycle.ReasonInterrupted, err)
	}
	ex.Host.ForgetDemoted(err)
	delay := pace.Jitter(pace.Backoff(100*time.Millisecond, s.Interruptions+1, 10*time.Second))
	return Outcome{Kind: Released, Reason: lifecycle.ReasonInterrupted, Interrupted: true, Delay: delay, Err: err}
}

// interrupted reports whether a handler's error came from the loss of its connection, and not from a
// context that the handler itself ended.
func (ex *Execution) interrupted(err error) bool {
	if failure.Unavailable(err) {
		return true
	}
	ex.tx.mu.Lock()
	defer ex.tx.mu.Unlock()
	broken := ex.tx.broken
	return broken != nil && !errors.Is(broken, failure.ErrAttemptEnded) && !ownDoing(broken)
}

// ownDoing reports whether a connection was lost because of the handler: it ended the context of a statement, or
// gave an argument that cannot be encoded, after which pgx closes a connection with half a batch on it.
func ownDoing(broken error) bool {
	return errors.Is(broken, context.DeadlineExceeded) || errors.Is(broken, context.Canceled) || failure.Unsent(broken)
}

// Failed ends an attempt; the next one follows, if there may be one.
func (s *Step) Failed(reason lifecycle.Reason, err error) Outcome {
	if s.Attempt >= s.MaxAttempts {
		return discarded(lifecycle.ReasonAttemptsExhausted, err)
	}
	o := Outcome{Kind: Retried, Reason: reason, Err: err}
	o.Delay = pace.Jitter(pace.Backoff(s.Handler.Backoff, s.Attempt, maxBackoff))
	var after *failure.Later
	if errors.As(err, &after) {
		o.Delay = after.Delay
	}
	return o
}

func discarded(reason lifecycle.Reason, err error) Outcome {
	return Outcome{Kind: Discarded, Reason: reason, Err: err}
}

// HandedBack is the outcome of a step whose host is stopping.
func HandedBack(err error) Outcome {
	return Outcome{Kind: Released, Reason: lifecycle.ReasonShutdown, Err: err}
}
