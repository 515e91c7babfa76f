package failure

import (
	"errors"
	"time"
)

// Marks say what is to follow from an error that a handler returns.

// Permanent marks an error that no retry can mend.
type Permanent struct{ Err error }

func (e *Permanent) Error() string { return e.Err.Error() }

// Unwrap returns the marked error.
func (e *Permanent) Unwrap() error { return e.Err }

// Later marks an error after which the next attempt starts no earlier than after Delay.
type Later struct {
	Err   error
	Delay time.Duration
}

func (e *Later) Error() string { return e.Err.Error() }

// Unwrap returns the marked error.
func (e *Later) Unwrap() error { return e.Err }

// Waiting marks an error that is none: something is not known yet, and the step runs again after Delay.
type Waiting struct {
	Err   error
	Delay time.Duration
}

func (e *Waiting) Error() string { return e.Err.Error() }

// Unwrap returns the marked error.
func (e *Waiting) Unwrap() error { return e.Err }

// Input marks a stored input that does not fit the handler's type: no retry can mend it.
type Input struct{ Err error }

func (e *Input) Error() string { return e.Err.Error() }

// Unwrap returns the marked error.
func (e *Input) Unwrap() error { return e.Err }

// Interrupted marks a failure that was the database's or the network's: no fault of the handler, no attempt.
type Interrupted struct{ Err error }

func (e *Interrupted) Error() string { return e.Err.Error() }

// Unwrap returns the marked error.
func (e *Interrupted) Unwrap() error { return e.Err }

// Ask asks an error of a handler everything that it will be asked later. One that panics, like a nil pointer in an error
// interface, does so here, where a panic is the handler's.
func Ask(err error) {
	var permanent *Permanent
	_, _, _ = err.Error(), errors.Is(err, ErrPayloadMismatch), errors.As(err, &permanent)
}
