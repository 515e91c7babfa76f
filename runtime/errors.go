package runtime

import (
	"errors"
	"fmt"
	"time"
)

// What can end an attempt, or refuse a call, whatever the handler does. All of them are matched with
// errors.Is.
var (
	// ErrLeaseLost: another worker took the step over, or it was cancelled. Everything that this
	// execution wrote is rolled back; there is nothing to retry.
	ErrLeaseLost = errors.New("idem: lease lost: the step was taken over or cancelled, and this execution's writes are rolled back")
	// ErrAttemptTimeout: the attempt ran longer than the handler's timeout. It is the cause of the
	// handler's context, and a new attempt follows.
	ErrAttemptTimeout = errors.New("idem: attempt timed out; raise timeout= or make the handler shorter")
	// ErrAttemptEnded: the context or the transaction was used after its attempt had ended, by a
	// handler that ran on after its timeout or by a goroutine that outlived the handler.
	ErrAttemptEnded = errors.New("idem: the attempt has ended, nothing can be written through it any more")
	// ErrShutdown: the worker is stopping. The step is handed back with its attempt unchanged.
	ErrShutdown = errors.New("idem: the worker is shutting down, the step is handed back")
	// ErrTxAborted: a statement of the completion transaction failed and the handler went on. Use a
	// savepoint around statements that may fail.
	ErrTxAborted = errors.New("idem: a statement failed and aborted the completion transaction; return its error, or put a SAVEPOINT around it")
	// ErrTxControl: the handler tried to begin, commit or roll back by itself.
	ErrTxControl = errors.New("idem: the completion transaction is begun and ended by the runtime; remove BEGIN, COMMIT and ROLLBACK from the handler")
	// ErrPayloadMismatch: a key was used twice with different payloads. It fails closed: nothing is
	// written, and the step is discarded for somebody to look at. See [MismatchError].
	ErrPayloadMismatch = errors.New("idem: the same key with another payload")
	// ErrPayloadTooLarge: an input or an output is over its limit. See [PayloadSizeError].
	ErrPayloadTooLarge = errors.New("idem: payload over its limit")
	// ErrPayloadUnencodable: an input or an output cannot be stored as it is. See [PayloadEncodingError].
	ErrPayloadUnencodable = errors.New("idem: payload cannot be encoded")
	// ErrNotFound: there is no such run or step.
	ErrNotFound = errors.New("idem: no such step")
	// ErrNotInHandler: a call that belongs into a handler was made with a context that is not one of
	// a running handler.
	ErrNotInHandler = errors.New("idem: this context is not one of a running handler; pass on the runtime.Context that the handler was given")
	// ErrSchemaVersion: the database's idem schema is missing or older than this module.
	ErrSchemaVersion = errors.New("idem: the schema is missing or older than this version needs; run: idem migrate up")
)

// MismatchError says which key met a second payload. It matches [ErrPayloadMismatch].
type MismatchError struct {
	Table string // the table, as written in SQL
	RunID string
	Node  string

	err error // the database's refusal; nil when the runtime noticed by itself
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%v: table %s, run %s, node %s; find out which of the two is right before running it again",
		ErrPayloadMismatch, e.Table, e.RunID, e.Node)
}

// Is matches [ErrPayloadMismatch].
func (e *MismatchError) Is(target error) bool { return target == ErrPayloadMismatch }

// Unwrap gives the database's error, if it was the database that refused.
func (e *MismatchError) Unwrap() error { return e.err }

// PayloadSizeError says how large a payload was, in bytes. It matches [ErrPayloadTooLarge].
type PayloadSizeError struct {
	What        string // "input" or "output"
	Node        string
	Size, Limit int64
}

func (e *PayloadSizeError) Error() string {
	return fmt.Sprintf("%v: the %s of %s has %d bytes, %d are allowed; store the data elsewhere and pass a reference, or raise max_%s=",
		ErrPayloadTooLarge, e.What, e.Node, e.Size, e.Limit, e.What)
}

// Is matches [ErrPayloadTooLarge].
func (e *PayloadSizeError) Is(target error) bool { return target == ErrPayloadTooLarge }

// PayloadEncodingError says why a payload cannot be stored. It matches [ErrPayloadUnencodable].
type PayloadEncodingError struct {
	What string // "input" or "output"
	Node string
	Err  error
}

func (e *PayloadEncodingError) Error() string {
	return fmt.Sprintf("%v: the %s of %s: %v", ErrPayloadUnencodable, e.What, e.Node, e.Err)
}

// Is matches [ErrPayloadUnencodable].
func (e *PayloadEncodingError) Is(target error) bool { return target == ErrPayloadUnencodable }

// Unwrap gives the encoder's error.
func (e *PayloadEncodingError) Unwrap() error { return e.Err }

// PanicError is what a handler's panic becomes: a failed attempt.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("idem: the handler panicked: %v", e.Value) }

// Permanent marks err as one that no retry can mend: the step is discarded at once, with the reason
// [ReasonPermanent]. A nil err stays nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// RetryAfter fails the attempt with err and lets the next one start no earlier than after d, instead
// of after the handler's backoff. d is clamped to between a millisecond and 30 days.
func RetryAfter(d time.Duration, err error) error {
	if err == nil {
		err = errors.New("idem: the handler asked to be run again later")
	}
	return &retryAfterError{err: err, delay: min(max(d, time.Millisecond), maxRetryAfter)}
}

const maxRetryAfter = 30 * 24 * time.Hour

type retryAfterError struct {
	err   error
	delay time.Duration
}

func (e *retryAfterError) Error() string { return e.err.Error() }
func (e *retryAfterError) Unwrap() error { return e.err }
