package runtime

import "context"

// Context is what a handler is given: the identity of its step, and the transaction that completes it.
//
// It is cancelled when the attempt times out (its cause is then [ErrAttemptTimeout]), when the lease
// is lost ([ErrLeaseLost]) and when the worker stops ([ErrShutdown]). After the attempt has ended,
// however that was, every write through it is refused with [ErrAttemptEnded].
type Context interface {
	context.Context

	// RunID is the run's identity. With Node it is the key of every effect, and never changes.
	RunID() string
	// Node is the step's name within the run.
	Node() string
	// Attempt counts from 1. It grows when an attempt fails or times out, and stays when a worker
	// dies. It is for logs and backoff, never for keys.
	Attempt() int
	// CompletionTx is the transaction that marks the step completed. What is written through it
	// commits together with the completion, or not at all. It takes a connection at its first
	// statement, not before.
	CompletionTx() Tx
}

type executionKey struct{}

// executionOf finds the running handler's execution behind ctx, also through a wrapper of the author's.
func executionOf(ctx context.Context) (*execution, error) {
	if ex, ok := ctx.(*execution); ok {
		return ex, nil
	}
	if ctx != nil {
		if ex, ok := ctx.Value(executionKey{}).(*execution); ok {
			return ex, nil
		}
	}
	return nil, ErrNotInHandler
}
