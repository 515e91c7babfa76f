package runtime

import (
	"context"
	"errors"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// execute runs a held step to its end: completed, failed, handed back or lost. The same attempt is run
// again after a serialization failure.
func (w *Worker) execute(s *heldStep) {
	defer s.leave()
	w.begin(s)
	for {
		ex := newExecution(w, s)
		if cause := s.enter(ex); cause != nil {
			ex.end(cause)
			w.conclude(ex, nil, cause, cause)
			return
		}
		if !w.attempt(ex) {
			return
		}
		if !pace.Pause(w.steps, pace.Jitter(pace.Backoff(5*time.Millisecond, s.reruns, 200*time.Millisecond))) {
			s.end(ErrShutdown)
		}
	}
}

// begin notes that a handler begins. It is a function of its own for the sake of its frame, which would otherwise lie on the
// stack of each handler that runs, and there may be many.
//
//go:noinline
func (w *Worker) begin(s *heldStep) {
	s.started = time.Now()
	w.observe(s.event(EventStarted))
}

// attempt runs the handler once. The deferred part also serves a handler that ends its goroutine, as a
// test's FailNow does.
func (w *Worker) attempt(ex *execution) (again bool) {
	timeout := time.AfterFunc(ex.step.handler.timeout, func() { w.expire(ex) })
	var output []byte
	var err error
	returned := false
	defer func() {
		if !returned {
			err = &PanicError{Value: "the handler ended its goroutine", Stack: debug.Stack()}
		}
		cause := ex.end(errReturned)
		timeout.Stop()
		again = w.conclude(ex, output, err, cause)
	}()
	output, err = ex.call()
	returned = true
	return again
}

// expire ends an attempt that has run for its timeout, and gives the handler the grace to notice.
func (w *Worker) expire(ex *execution) {
	if !errors.Is(ex.end(ErrAttemptTimeout), ErrAttemptTimeout) {
		return
	}
	probe.At(probe.TimeoutAfterFire, ex.step.runID, ex.step.node)
	time.AfterFunc(w.cfg.Grace, func() { w.abandon(ex.step) })
}

// abandon gives a step back whose handler does not return. The handler keeps its place: what it does, it
// does with our resources.
func (w *Worker) abandon(s *heldStep) {
	if !s.settleOnce() {
		return
	}
	s.stuck.Store(true)
	w.observe(s.event(EventStuck))
	w.log.Error("idem: a handler runs on after its timeout; its step is given back, its place stays taken until it returns",
		"run_id", s.runID, "node", s.node, "attempt", s.attempt)
	w.settle(s, w.failed(s, ReasonTimeout, ErrAttemptTimeout))
}

// conclude decides what a handler's return means. again asks for the same attempt once more.
func (w *Worker) conclude(ex *execution, output []byte, err, cause error) (again bool) {
	s := ex.step
	if !s.settleOnce() { // it came back too late
		ex.tx.release()
		if s.stuck.Load() {
			w.observe(s.event(EventUnstuck))
		}
		return false
	}
	switch {
	case errors.Is(cause, ErrLeaseLost):
		ex.tx.release()
		w.loseLease(s)
		return false
	case errors.Is(cause, ErrShutdown):
		ex.tx.release()
		w.settle(s, released(ReasonShutdown, nil))
		return false
	case errors.Is(cause, ErrAttemptTimeout):
		ex.tx.release()
		w.settle(s, w.failed(s, ReasonTimeout, errors.Join(ErrAttemptTimeout, err)))
		return false
	}
	if err == nil {
		err = ex.tx.verdict()
	}
	if refused := ex.refusal(); refused != nil {
		err = refused
	}
	if err != nil {
		return w.giveUp(ex, err)
	}
	s.output = output
	probe.At(probe.CompleteBeforeFence, s.runID, s.node)
	if ex.directly() {
		return w.completeDirectly(ex)
	}
	w.hand(ex)
	return false
}

// giveUp rolls the execution back and settles its step as err asks for. again is true after a
// serialization failure, as long as the attempt may be run again.
func (w *Worker) giveUp(ex *execution, err error) (again bool) {
	s := ex.step
	ex.tx.release()
	v := w.judge(ex, err)
	if v.again {
		s.reruns++
		s.settled.Store(false)
		return true
	}
	w.settle(s, v)
	return false
}

// verdict is how a step is settled that was not completed.
type verdict struct {
	again         bool // run the same attempt again, nothing to settle
	state         State
	reason        Reason
	event         EventKind
	attempts      int // how many to add
	interruptions int
	delay         time.Duration
	err           error
}

const (
	maxReruns        = 3  // of an attempt, after serialization failures and deadlocks
	maxInterruptions = 10 // of an attempt, before the database's failures count as the handler's
)

// judge turns an error into a verdict.
func (w *Worker) judge(ex *execution, err error) verdict {
	s := ex.step
	var (
		permanent   *permanentError
		waits       *waitError
		input       *inputError
		size        *PayloadSizeError
		encoding    *PayloadEncodingError
		panicked    *PanicError
		interrupted *interruptedError
	)
	switch {
	case errors.Is(err, ErrPayloadMismatch):
		return discarded(ReasonPayloadMismatch, err)
	case errors.As(err, &permanent):
		return discarded(ReasonPermanent, err)
	case errors.As(err, &waits):
		return waits.waiting(err)
	case errors.As(err, &input):
		return discarded(ReasonInputUndecodable, err)
	case errors.As(err, &size) && size.What == "output":
		return discarded(ReasonOutputTooLarge, err)
	case errors.As(err, &encoding) && encoding.What == "output":
		return discarded(ReasonPayloadUnencodable, err)
	case errors.As(err, &panicked):
		return w.failed(s, ReasonPanic, err)
	case errors.Is(err, ErrTxControl):
		return w.failed(s, ReasonTxControl, err)
	case errors.Is(err, ErrTxAborted):
		return w.failed(s, ReasonTxAborted, err)
	case isConflict(err):
		if s.reruns < maxReruns {
			return verdict{again: true}
		}
		return w.failed(s, ReasonError, err)
	case errors.As(err, &interrupted), ex.interrupted(err):
		if s.interruptions >= maxInterruptions {
			return w.failed(s, ReasonInterrupted, err)
		}
		w.forgetDemoted(err)
		v := released(ReasonInterrupted, err)
		v.interruptions, v.delay = 1, pace.Jitter(pace.Backoff(100*time.Millisecond, s.interruptions+1, 10*time.Second))
		return v
	}
	return w.failed(s, ReasonError, err)
}

// interrupted tells whether a handler's error came from the loss of its connection, and not from a
// context that the handler itself ended.
func (ex *execution) interrupted(err error) bool {
	if isUnavailable(err) {
		return true
	}
	ex.tx.mu.Lock()
	defer ex.tx.mu.Unlock()
	broken := ex.tx.broken
	return broken != nil && !errors.Is(broken, ErrAttemptEnded) && !ownDoing(broken)
}

// ownDoing tells whether a connection was lost because of the handler: it ended the context of a statement, or
// gave an argument that cannot be encoded, after which pgx closes a connection with half a batch on it.
func ownDoing(broken error) bool {
	return errors.Is(broken, context.DeadlineExceeded) || errors.Is(broken, context.Canceled) || unsent(broken)
}

// failed ends an attempt; the next one follows, if there may be one.
func (w *Worker) failed(s *heldStep, reason Reason, err error) verdict {
	if s.attempt >= s.maxAttempts {
		return discarded(ReasonAttemptsExhausted, err)
	}
	v := verdict{state: StatePending, reason: reason, event: EventRetried, attempts: 1, err: err}
	v.delay = pace.Jitter(pace.Backoff(s.handler.backoff, s.attempt, maxBackoff))
	var after *retryAfterError
	if errors.As(err, &after) {
		v.delay = after.delay
	}
	return v
}

func discarded(reason Reason, err error) verdict {
	return verdict{state: StateDiscarded, reason: reason, event: EventDiscarded, err: err}
}

func released(reason Reason, err error) verdict {
	return verdict{state: StatePending, reason: reason, event: EventReleased, err: err}
}

// settle records the verdict, if the step is still held.
func (w *Worker) settle(s *heldStep, v verdict) {
	var rows int64
	text := errorText(v.err)
	write := func(ctx context.Context) error {
		tag, err := w.control.Exec(ctx, w.sql.settle, s.id, s.epoch, string(v.state), string(v.reason), v.attempts, v.interruptions,
			v.delay.Microseconds(), text, s.attempt, string(v.event), string(v.reason), w.name)
		rows = tag.RowsAffected()
		return err
	}
	err := w.stubborn(w.lasting, "settle", write)
	if err != nil && text != nil && faultOf(err) == faultStatement {
		// The database's encoding may lack a character of the text. The failure matters more than its wording.
		ascii := strconv.QuoteToASCII(*text)
		text = &ascii
		err = w.stubborn(w.lasting, "settle", write)
	}
	if err == nil && rows == 0 {
		w.loseLease(s)
		return
	}
	defer w.finished(s)
	if err != nil {
		w.log.Error("idem: a step could not be settled; the sweep will take it back", "run_id", s.runID, "node", s.node, "error", err)
		return
	}
	w.report(s, v)
	if v.state == StatePending {
		time.AfterFunc(v.delay, s.queue.announce)
	}
}

func (w *Worker) report(s *heldStep, v verdict) {
	e := s.event(v.event)
	e.Reason, e.Err, e.Delay, e.Duration = v.reason, v.err, v.delay, time.Since(s.started)
	w.observe(e)
	log := w.log.With("run_id", s.runID, "node", s.node, "attempt", s.attempt, "reason", string(v.reason))
	switch {
	case v.event == EventReleased:
		log.Info("idem: step handed back", "error", v.err)
	case v.state == StateDiscarded:
		log.Error("idem: step discarded", "error", v.err)
	default:
		log.Warn("idem: attempt failed", "error", v.err, "next", v.delay)
	}
	var panicked *PanicError
	if errors.As(v.err, &panicked) {
		log.Error("idem: panic", "stack", string(panicked.Stack))
	}
}

// maxErrorText bounds what is stored of an error, in bytes.
const maxErrorText = 4096

// errorText makes an error storable whatever it says: what cannot be stored would keep the failure
// itself from being recorded.
func errorText(err error) *string {
	if err == nil {
		return nil
	}
	text := err.Error()
	var panicked *PanicError
	if errors.As(err, &panicked) {
		text += "\n" + string(panicked.Stack)
	}
	if len(text) > maxErrorText {
		text = text[:maxErrorText]
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	return &text
}
