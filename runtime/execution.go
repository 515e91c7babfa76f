package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/probe"
)

// execution is one run of one handler: the Context that the handler sees. It ends exactly once, by the
// handler's return or by whatever comes first: timeout, lost lease, shutdown.
type execution struct {
	context.Context // cancelled when the execution ends
	cancel          context.CancelCauseFunc

	w        *Worker
	step     *heldStep
	deadline time.Time
	tx       completionTx
	trips    atomic.Int32 // round trips to the database, for the observer

	mu       sync.Mutex
	ended    error          // why the attempt is over; nil while the handler may write
	refused  error          // a call was refused in a way that the handler must not ignore
	pending  []pendingWrite // in the order of the handler's calls
	flushed  int            // how many of them are on the server
	keys     map[writeKey]string
	children map[string]int // enqueued with the completion, per node
}

// errReturned marks the ordinary end: the handler came back in time.
var errReturned = errors.New("idem: the handler has returned")

func newExecution(w *Worker, s *heldStep) *execution {
	ctx, cancel := context.WithCancelCause(w.steps)
	ex := &execution{Context: ctx, cancel: cancel, w: w, step: s, deadline: time.Now().Add(s.handler.timeout)}
	ex.tx.ex = ex
	return ex
}

// RunID implements [Context].
func (ex *execution) RunID() string { return ex.step.runID }

// Node implements [Context].
func (ex *execution) Node() string { return ex.step.node }

// Attempt implements [Context].
func (ex *execution) Attempt() int { return ex.step.attempt }

// CompletionTx implements [Context].
func (ex *execution) CompletionTx() Tx { return &ex.tx }

// Deadline implements [context.Context]: when the attempt times out.
func (ex *execution) Deadline() (time.Time, bool) { return ex.deadline, true }

// Err implements [context.Context].
func (ex *execution) Err() error {
	err := ex.Context.Err()
	if err != nil && errors.Is(context.Cause(ex.Context), ErrAttemptTimeout) {
		return context.DeadlineExceeded
	}
	return err
}

// Value implements [context.Context].
func (ex *execution) Value(key any) any {
	if _, own := key.(executionKey); own {
		return ex
	}
	return ex.Context.Value(key)
}

// call runs the handler, and turns a panic into an error.
func (ex *execution) call() (output []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			output, err = nil, &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	probe.At(probe.HandlerStart, ex.step.runID, ex.step.node)
	input, err := ex.input()
	if err != nil {
		return nil, err
	}
	output, err = ex.step.handler.run(ex, input)
	probe.At(probe.HandlerAfterWrite, ex.step.runID, ex.step.node)
	if err != nil {
		ask(err)
	}
	ex.tx.returned(err)
	return output, err
}

// input gives the step's input away: a worker with many steps keeps none twice, encoded and decoded. The rare attempt that
// is run again reads it again.
func (ex *execution) input() ([]byte, error) {
	s := ex.step
	if input := s.input; input != nil {
		s.input = nil
		return input, nil
	}
	var input []byte
	err := ex.w.control.QueryRow(ex, ex.w.sql.input, s.id, s.epoch).Scan((*rawBytes)(&input))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrLeaseLost
	}
	return input, err
}

// ask asks an error everything that it will be asked later. One that panics, like a nil pointer in an error
// interface, does so here, where a panic is the handler's.
func ask(err error) {
	var permanent *permanentError
	_, _, _ = err.Error(), errors.Is(err, ErrPayloadMismatch), errors.As(err, &permanent)
}

// end ends the attempt, if nothing has before, and gives what ended it.
func (ex *execution) end(cause error) error {
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

// alive refuses what comes after the end.
func (ex *execution) alive() error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.aliveLocked()
}

func (ex *execution) aliveLocked() error {
	switch {
	case ex.ended == nil:
		return nil
	case errors.Is(ex.ended, errReturned):
		return ErrAttemptEnded
	default:
		return fmt.Errorf("%w: %w", ErrAttemptEnded, ex.ended)
	}
}

// refuse keeps a refusal that fails the attempt even when the handler ignores its error.
func (ex *execution) refuse(err error) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.refused == nil {
		ex.refused = err
	}
}

// mismatch makes err final: whatever the handler does about an integrity error, its step does not complete.
func (ex *execution) mismatch(err *MismatchError) error {
	ex.refuse(err)
	return err
}

// refusal gives what was refused.
func (ex *execution) refusal() error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.refused
}

func (ex *execution) roundTrip() { ex.trips.Add(1) }

// pendingWrite is a statement that waits for the completion, or for the handler's next direct one.
type pendingWrite struct {
	sql    string
	args   []any
	effect *Effect // nil: an enqueued step
	node   string  // of an enqueued step
	wakes  string  // of an enqueued step: whom to wake
	key    string  // tells rows of one effect apart, within this step
	digest string
}

func (p *pendingWrite) queue(b *pgx.Batch) { b.Queue(p.sql, p.args...) }

func (p *pendingWrite) explain(ex *execution, err error) error {
	switch {
	case p.effect != nil:
		return p.effect.explain(ex, err)
	case isGuard(err, inputGuard):
		return ex.mismatch(&MismatchError{Table: "steps", RunID: p.args[0].(string), Node: p.node, err: err})
	}
	return err
}

// size is roughly how many bytes the write puts into a group.
func (p *pendingWrite) size() int {
	n := 64
	for _, arg := range p.args {
		switch arg := arg.(type) {
		case string:
			n += len(arg)
		case []byte:
			n += len(arg)
		default:
			n += 16
		}
	}
	return n
}

// writeKey is the identity of a row within one step.
type writeKey struct {
	effect *Effect
	key    string
}

// record keeps a row, once per key.
func (ex *execution) record(row pendingWrite) error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if err := ex.aliveLocked(); err != nil {
		return ex.refuseLate(err)
	}
	key := writeKey{row.effect, row.key}
	switch digest, again := ex.keys[key]; {
	case again && digest == row.digest:
		return nil
	case again:
		err := &MismatchError{Table: row.effect.Table, RunID: ex.step.runID, Node: ex.step.node}
		if ex.refused == nil {
			ex.refused = err
		}
		return err
	}
	if ex.keys == nil {
		ex.keys = map[writeKey]string{}
	}
	ex.keys[key] = row.digest
	ex.pending = append(ex.pending, row)
	return nil
}

// follow keeps the enqueueing of a step.
func (ex *execution) follow(row pendingWrite) error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if err := ex.aliveLocked(); err != nil {
		return ex.refuseLate(err)
	}
	ex.pending = append(ex.pending, row)
	return nil
}

func (ex *execution) unflushed() []pendingWrite {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.pending[ex.flushed:]
}

func (ex *execution) takeUnflushed() []pendingWrite {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	writes := ex.pending[ex.flushed:]
	ex.flushed = len(ex.pending)
	return writes
}

// flushAgain lets all kept writes be sent again.
func (ex *execution) flushAgain() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.flushed = 0
}

// nextChild counts the runs of a node that this step enqueues.
func (ex *execution) nextChild(node string) int {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.children == nil {
		ex.children = map[string]int{}
	}
	ex.children[node]++
	return ex.children[node]
}

// directly tells whether the handler used the completion transaction itself.
func (ex *execution) directly() bool {
	ex.tx.mu.Lock()
	defer ex.tx.mu.Unlock()
	return ex.tx.began || ex.tx.broken != nil || ex.tx.aborted
}
