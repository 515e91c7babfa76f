package step

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
)

// Execution is one run of one handler: the context that the handler sees. It ends exactly once, by the
// handler's return or by whatever comes first: timeout, lost lease, shutdown.
type Execution struct {
	context.Context // cancelled when the execution ends
	cancel          context.CancelCauseFunc

	Host     *Host
	Step     *Step
	deadline time.Time
	tx       Tx
	trips    atomic.Int32 // round trips to the database, for the observer

	mu       sync.Mutex
	ended    error   // why the attempt is over; nil while the handler may write
	refused  error   // a call was refused in a way that the handler must not ignore
	pending  []Write // in the order of the handler's calls
	flushed  int     // how many of them are on the server
	keys     map[writeKey]string
	children map[string]int // enqueued with the completion, per node
}

// errReturned marks the ordinary end: the handler came back in time.
var errReturned = errors.New("idem: the handler has returned")

// New begins an execution of s, whose completion transaction is of its own.
func New(h *Host, s *Step) *Execution {
	ctx, cancel := context.WithCancelCause(h.Steps)
	ex := &Execution{Context: ctx, cancel: cancel, Host: h, Step: s, deadline: time.Now().Add(s.Handler.Timeout)}
	ex.tx.ex = ex
	return ex
}

// ErrNoTransaction says that a host lent something else than a transaction to write in: what is written there could stay
// without the step, or not at all.
var ErrNoTransaction = errors.New("idem: what was lent is not an open transaction, in which no statement has failed and no result is left unread; begin another one")

// NewIn begins an execution of s within tx, which stays the caller's to commit or roll back. While the execution lasts
// nobody else may use it. Where it is no transaction to write in, all statements are refused with [ErrNoTransaction].
func NewIn(h *Host, s *Step, tx pgx.Tx) *Execution {
	ex := New(h, s)
	ex.tx.lent, ex.tx.began = true, true
	ex.tx.conn = tx.Conn()
	pc := ex.tx.conn.PgConn()
	ex.tx.setSocket(pc)
	if pc.IsClosed() || pc.IsBusy() || pc.TxStatus() != 'T' {
		ex.tx.broken = ErrNoTransaction
	}
	return ex
}

type executionKey struct{}

// Of finds the running handler's execution behind ctx, also through a wrapper of the author's;
// [failure.ErrNotInHandler] if there is none.
func Of(ctx context.Context) (*Execution, error) {
	if ctx != nil {
		if ex, ok := ctx.Value(executionKey{}).(*Execution); ok {
			return ex, nil
		}
	}
	return nil, failure.ErrNotInHandler
}

// RunID returns the run's identity.
func (ex *Execution) RunID() string { return ex.Step.RunID }

// Node returns the step's name within the run.
func (ex *Execution) Node() string { return ex.Step.Node }

// Attempt returns the attempt's number, from 1.
func (ex *Execution) Attempt() int { return ex.Step.Attempt }

// Tx returns the completion transaction.
func (ex *Execution) Tx() *Tx { return &ex.tx }

// Trips returns how many round trips to the database the execution has made.
func (ex *Execution) Trips() int { return int(ex.trips.Load()) }

// RoundTrip counts one.
func (ex *Execution) RoundTrip() { ex.trips.Add(1) }

// Deadline implements [context.Context]: when the attempt times out.
func (ex *Execution) Deadline() (time.Time, bool) { return ex.deadline, true }

// Err implements [context.Context].
func (ex *Execution) Err() error {
	err := ex.Context.Err()
	if err != nil && errors.Is(context.Cause(ex.Context), failure.ErrAttemptTimeout) {
		return context.DeadlineExceeded
	}
	return err
}

// Value implements [context.Context].
func (ex *Execution) Value(key any) any {
	if _, own := key.(executionKey); own {
		return ex
	}
	return ex.Context.Value(key)
}

// End ends the attempt, if nothing has before, and returns what ended it.
func (ex *Execution) End(cause error) error {
	ex.mu.Lock()
	first := ex.ended == nil
	if first {
		ex.ended = cause
	}
	cause = ex.ended
	ex.mu.Unlock()
	if first {
		ex.cancel(cause)
		if cause != errReturned {
			go ex.tx.kill() // it may have to wait for the network
		}
	}
	return cause
}

// Alive refuses what comes after the end, with [failure.ErrAttemptEnded], and tells the observer of it: after an
// ordinary return such a call is a mistake of the handler's, which left a goroutine behind.
func (ex *Execution) Alive() error {
	if err := ex.alive(); err != nil {
		return ex.late(err)
	}
	return nil
}

func (ex *Execution) alive() error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.aliveLocked()
}

func (ex *Execution) aliveLocked() error {
	switch {
	case ex.ended == nil:
		return nil
	case errors.Is(ex.ended, errReturned):
		return failure.ErrAttemptEnded
	default:
		return fmt.Errorf("%w: %w", failure.ErrAttemptEnded, ex.ended)
	}
}

func (ex *Execution) late(err error) error {
	e := ex.Step.Event(lifecycle.EventLate)
	e.Err = err
	ex.Host.Observe(e)
	return err
}

// Refuse keeps a refusal that fails the attempt even when the handler ignores its error.
func (ex *Execution) Refuse(err error) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.refused == nil {
		ex.refused = err
	}
}

// Missing makes err final, that something could not be kept which the completion is to have: its step does not complete without
// it, whatever the handler does about the error that it returns.
func (ex *Execution) Missing(err error) error {
	ex.Refuse(err)
	return err
}

// Mismatch makes a second payload under a key of a table final: whatever the handler does about the integrity error that it
// returns, its step does not complete. err is the database's refusal, or nil.
func (ex *Execution) Mismatch(table string, err error) error {
	mismatch := &failure.MismatchError{Table: table, RunID: ex.Step.RunID, Node: ex.Step.Node, Err: err}
	ex.Refuse(mismatch)
	return mismatch
}

func (ex *Execution) refusal() error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.refused
}

// NextChild counts the runs of a node that this step enqueues.
func (ex *Execution) NextChild(node string) int {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.children == nil {
		ex.children = map[string]int{}
	}
	ex.children[node]++
	return ex.children[node]
}
