package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime/internal/step"
)

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

// Tx is the completion transaction: what a handler writes through it commits with the step's change to
// completed, or not at all. It has no Begin, Commit or Rollback on purpose, and refuses their SQL
// ([ErrTxControl]); savepoints are allowed. A statement that failed, and was not gone back from to a savepoint, fails the
// attempt ([ErrTxAborted]) even if the handler ignores its error, whether the server or pgx has refused it. It satisfies the DBTX interface that sqlc generates for
// pgx/v5.
type Tx interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error)
}

// handlerContext is the [Context] of an execution, and no more than that: what an execution can do beyond it is for hosts.
type handlerContext struct{ ex *step.Execution }

func (c handlerContext) Deadline() (time.Time, bool) { return c.ex.Deadline() }
func (c handlerContext) Done() <-chan struct{}       { return c.ex.Done() }
func (c handlerContext) Err() error                  { return c.ex.Err() }
func (c handlerContext) Value(key any) any           { return c.ex.Value(key) }
func (c handlerContext) RunID() string               { return c.ex.RunID() }
func (c handlerContext) Node() string                { return c.ex.Node() }
func (c handlerContext) Attempt() int                { return c.ex.Attempt() }
func (c handlerContext) CompletionTx() Tx            { return c.ex.Tx() }
