package failure

import (
	"errors"
	"fmt"
)

// What can end an attempt, or refuse a call. Package runtime says what each of them means.
var (
	ErrLeaseLost          = errors.New("idem: lease lost: the step was taken over or cancelled, and this execution's writes are rolled back")
	ErrAttemptTimeout     = errors.New("idem: attempt timed out; raise timeout= or make the handler shorter")
	ErrAttemptEnded       = errors.New("idem: the attempt has ended, nothing can be written through it any more")
	ErrShutdown           = errors.New("idem: the worker is shutting down, the step is handed back")
	ErrTxAborted          = errors.New("idem: a statement failed and aborted the completion transaction; return its error, or put a SAVEPOINT around it")
	ErrTxControl          = errors.New("idem: the completion transaction is begun and ended by the runtime; remove BEGIN, COMMIT and ROLLBACK from the handler")
	ErrPayloadMismatch    = errors.New("idem: the same key with another payload")
	ErrPayloadTooLarge    = errors.New("idem: payload over its limit")
	ErrPayloadUnencodable = errors.New("idem: payload cannot be encoded")
	ErrNotFound           = errors.New("idem: no such step")
	ErrNotInHandler       = errors.New("idem: this context is not one of a running handler; pass on the runtime.Context that the handler was given")
	ErrSchemaVersion      = errors.New("idem: the schema is missing or older than this version needs; run: idem migrate up")
)

// MismatchError says which key met a second payload. It matches [ErrPayloadMismatch].
type MismatchError struct {
	Table string // the table, as written in SQL
	RunID string
	Node  string
	Err   error // the database's refusal; nil when the runtime noticed by itself
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%v: table %s, run %s, node %s; find out which of the two is right before running it again",
		ErrPayloadMismatch, e.Table, e.RunID, e.Node)
}

// Is matches [ErrPayloadMismatch].
func (e *MismatchError) Is(target error) bool { return target == ErrPayloadMismatch }

// Unwrap returns the database's error, if it was the database that refused.
func (e *MismatchError) Unwrap() error { return e.Err }

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

// Unwrap returns the encoder's error.
func (e *PayloadEncodingError) Unwrap() error { return e.Err }

// PanicError is what a handler's panic becomes: a failed attempt.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("idem: the handler panicked: %v", e.Value) }
