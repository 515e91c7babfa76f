package step

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// Return is how a handler came back.
type Return struct {
	Output []byte
	Err    error
	Cause  error // what ended the attempt
}

// Owner is who has an execution run. One of its methods is called first, and settles the step; the other one, if it follows,
// finds that done.
type Owner interface {
	// Returned is told that the handler is back, on the goroutine that it ran on. again asks for the same attempt once more.
	Returned(ex *Execution, r Return) (again bool)
	// Overran is told that the handler runs on although its timeout and the grace are over.
	Overran(ex *Execution)
}

// Run runs the handler once, for its timeout at most, and tells owner of its end. The deferred part also serves a handler that
// ends its goroutine, as a test's FailNow does.
func (ex *Execution) Run(owner Owner) (again bool) {
	timeout := time.AfterFunc(ex.Step.Handler.Timeout, func() { ex.expire(owner) })
	var r Return
	returned := false
	defer func() {
		if !returned {
			r.Err = &failure.PanicError{Value: "the handler ended its goroutine", Stack: debug.Stack()}
		}
		if ex.tx.lent {
			ex.tx.returned(r.Err) // also after a panic
		}
		r.Cause = ex.End(errReturned)
		timeout.Stop()
		again = owner.Returned(ex, r)
	}()
	r.Output, r.Err = ex.call()
	returned = true
	return again
}

// expire ends an attempt that has run for its timeout, and gives the handler the grace to notice.
func (ex *Execution) expire(owner Owner) {
	if !errors.Is(ex.End(failure.ErrAttemptTimeout), failure.ErrAttemptTimeout) {
		return
	}
	probe.At(probe.TimeoutAfterFire, ex.Step.RunID, ex.Step.Node)
	time.AfterFunc(ex.Host.Grace, func() { owner.Overran(ex) })
}

// call runs the handler, and turns a panic into an error.
func (ex *Execution) call() (output []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			output, err = nil, &failure.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	probe.At(probe.HandlerStart, ex.Step.RunID, ex.Step.Node)
	input, err := ex.input()
	if err != nil {
		return nil, err
	}
	output, err = ex.Step.Handler.Run(ex, input)
	probe.At(probe.HandlerAfterWrite, ex.Step.RunID, ex.Step.Node)
	if err != nil {
		failure.Ask(err)
	}
	ex.tx.returned(err)
	return output, err
}

// input returns the step's input away: a host with many steps keeps none twice, encoded and decoded. The rare attempt that
// is run again reads it again.
func (ex *Execution) input() ([]byte, error) {
	s := ex.Step
	if input := s.Input; input != nil || s.Reload == nil {
		s.Input = nil
		return input, nil
	}
	return s.Reload(ex)
}
