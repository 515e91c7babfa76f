package provider

import (
	"errors"
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime"
)

// What a call can come to, beside a receipt. All of them are matched with errors.Is. A handler returns them as they are:
// they tell the runtime what is to follow. A payload mismatch is [runtime.ErrPayloadMismatch].
var (
	// ErrUnknown: it is not known whether the call was done. The step waits. See [UnknownError].
	ErrUnknown = errors.New("idem: the outcome of a provider call is not known")
	// ErrRejected: the provider has definitely refused the call. The step is discarded, unless its handler goes on. See
	// [RejectedError].
	ErrRejected = errors.New("idem: the provider rejected the call")
	// ErrCompensated: the call was done and has been taken back, so that its receipt stands for nothing any more.
	ErrCompensated = errors.New("idem: the provider call has been compensated")
	// ErrReceipt: the call was done, but its receipt cannot be stored, or does not fit the receipt's type any more.
	ErrReceipt = errors.New("idem: the provider call was done, and its receipt cannot be read")
	// ErrNotFound: there is no such intent.
	ErrNotFound = errors.New("idem: no such intent")
	// ErrNoUndo: the provider has no undo.
	ErrNoUndo = errors.New("idem: the provider has no undo; give it one with undo=")
)

// UnknownError says which call's outcome is not known. It matches [ErrUnknown], and makes the step wait when the handler
// returns it. A handler that completes in spite of it leaves the intent as it is, for an operator.
type UnknownError struct {
	Provider string
	Key      string
	Reason   string // what is known about it
	// Operator: nothing is sent by itself any more, somebody has to find out and decide.
	Operator bool
	Delay    time.Duration // until the step looks again
}

func (e *UnknownError) Error() string {
	next := "the step waits and looks again"
	if e.Operator {
		next = "look it up at the provider, then: idem intents confirm or reject " + e.Key
	}
	return fmt.Sprintf("%v: %s, key %s: %s; %s", ErrUnknown, e.Provider, e.Key, e.Reason, next)
}

// Is matches [ErrUnknown].
func (e *UnknownError) Is(target error) bool { return target == ErrUnknown }

// Unwrap tells the runtime to wait. The provider's own error is not in it on purpose: what that says to the runtime, or to
// anybody who looks at it, was said about another thing.
func (e *UnknownError) Unwrap() error { return runtime.Wait(e.Delay, ErrUnknown) }

// RejectedError says which call was rejected, and why. It matches [ErrRejected]. Every execution gets the same one: the
// provider's own error, which only the first one has seen, is there as its text.
type RejectedError struct {
	Provider string
	Key      string
	Reason   string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("%v: %s, key %s: %s", ErrRejected, e.Provider, e.Key, e.Reason)
}

// Is matches [ErrRejected].
func (e *RejectedError) Is(target error) bool { return target == ErrRejected }

// Unwrap tells the runtime that no retry can mend it.
func (e *RejectedError) Unwrap() error { return runtime.Permanent(ErrRejected) }

// NotSentError says that a call has not left. It fails the attempt like any other error, and the next one sends it.
type NotSentError struct {
	Provider string
	Key      string
	err      error
}

func (e *NotSentError) Error() string {
	return fmt.Sprintf("idem: %s, key %s: nothing was sent: %s", e.Provider, e.Key, reason(e.err))
}

// Unwrap returns the provider function's error.
func (e *NotSentError) Unwrap() error { return e.err }

// StateError says that an intent is not, or is no longer, as an operator's decision takes for granted.
type StateError struct {
	Key     string
	State   State
	Epoch   int64
	Problem string
}

func (e *StateError) Error() string {
	return fmt.Sprintf("idem: intent %s is %s at epoch %d: %s", e.Key, e.State, e.Epoch, e.Problem)
}

// receiptError makes a problem with a receipt the permanent error of the call.
func receiptError(err error) error { return runtime.Permanent(fmt.Errorf("%w: %w", ErrReceipt, err)) }
