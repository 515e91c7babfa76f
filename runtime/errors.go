package runtime

import (
	"errors"
	"time"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/retention"
)

// What can end an attempt, or refuse a call, whatever the handler does. All of them are matched with
// errors.Is.
var (
	// ErrLeaseLost: another worker took the step over, or it was cancelled. Everything that this
	// execution wrote is rolled back; there is nothing to retry.
	ErrLeaseLost = failure.ErrLeaseLost
	// ErrAttemptTimeout: the attempt ran longer than the handler's timeout. It is the cause of the
	// handler's context, and a new attempt follows.
	ErrAttemptTimeout = failure.ErrAttemptTimeout
	// ErrAttemptEnded: the context or the transaction was used after its attempt had ended, by a
	// handler that ran on after its timeout or by a goroutine that outlived the handler.
	ErrAttemptEnded = failure.ErrAttemptEnded
	// ErrShutdown: the worker is stopping. The step is handed back with its attempt unchanged.
	ErrShutdown = failure.ErrShutdown
	// ErrTxAborted: a statement of the completion transaction failed and the handler went on. Use a
	// savepoint around statements that may fail.
	ErrTxAborted = failure.ErrTxAborted
	// ErrTxControl: the handler tried to begin, commit or roll back by itself.
	ErrTxControl = failure.ErrTxControl
	// ErrPayloadMismatch: a key was used twice with different payloads. It fails closed: nothing is
	// written, and the step is discarded for somebody to look at. See [MismatchError].
	ErrPayloadMismatch = failure.ErrPayloadMismatch
	// ErrPayloadTooLarge: an input or an output is over its limit. See [PayloadSizeError].
	ErrPayloadTooLarge = failure.ErrPayloadTooLarge
	// ErrPayloadUnencodable: an input or an output cannot be stored as it is. See [PayloadEncodingError].
	ErrPayloadUnencodable = failure.ErrPayloadUnencodable
	// ErrNotFound: there is no such run or step.
	ErrNotFound = failure.ErrNotFound
	// ErrNotInHandler: a call that belongs into a handler was made with a context that is not one of
	// a running handler.
	ErrNotInHandler = failure.ErrNotInHandler
	// ErrSchemaVersion: the database's idem schema is missing or older than this module.
	ErrSchemaVersion = failure.ErrSchemaVersion
	// ErrRetention: evidence would be removed while a replay can still come, which would then run again. The
	// retention of workers, relays, inboxes and provider calls is refused with it alike.
	ErrRetention = retention.ErrTooShort
)

// MismatchError says which key met a second payload: its fields are Table, as written in SQL, RunID, Node, and Err, the
// database's refusal, which is nil when the runtime noticed by itself. It matches [ErrPayloadMismatch], and is found with
// errors.As as a *MismatchError.
type MismatchError = failure.MismatchError

// PayloadSizeError says how large a payload was: its fields are What ("input" or "output"), Node, and Size and Limit in
// bytes. It matches [ErrPayloadTooLarge], and is found with errors.As as a *PayloadSizeError.
type PayloadSizeError = failure.PayloadSizeError

// PayloadEncodingError says why a payload cannot be stored: its fields are What ("input" or "output"), Node, and Err, the
// encoder's error, which it wraps. It matches [ErrPayloadUnencodable], and is found with errors.As as a
// *PayloadEncodingError.
type PayloadEncodingError = failure.PayloadEncodingError

// PanicError is what a handler's panic becomes: a failed attempt. Its fields are Value, what was panicked with, and Stack. It
// is found with errors.As as a *PanicError.
type PanicError = failure.PanicError

// Permanent marks err as one that no retry can mend: the step is discarded at once, with the reason
// [ReasonPermanent]. A nil err stays nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &failure.Permanent{Err: err}
}

// RetryAfter fails the attempt with err and lets the next one start no earlier than after d, instead
// of after the handler's backoff. d is clamped to between a millisecond and 30 days.
func RetryAfter(d time.Duration, err error) error {
	if err == nil {
		err = errors.New("idem: the handler asked to be run again later")
	}
	return &failure.Later{Err: err, Delay: clamped(d)}
}

// Wait hands the step back and lets it run again after d: nothing has failed, something is not known yet. Its attempt
// and its reclaims stay as they are, however often it waits, and its reason is [ReasonWaiting] meanwhile. What this
// execution wrote is rolled back. [Client.Wake] lets it run earlier. d is clamped to between a millisecond and 30 days.
//
// It is what a handler returns; [Client.Wait] is what a client calls to wait for a step's end.
func Wait(d time.Duration, err error) error {
	if err == nil {
		err = errors.New("idem: the handler waits for something that is not known yet")
	}
	return &failure.Waiting{Err: err, Delay: clamped(d)}
}

const maxDelay = 30 * 24 * time.Hour

func clamped(d time.Duration) time.Duration { return min(max(d, time.Millisecond), maxDelay) }
