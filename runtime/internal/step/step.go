package step

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/store"
)

// Step is what is to be executed: one attempt of one node of a run.
type Step struct {
	RunID string
	Node  string

	Attempt       int // from 1
	MaxAttempts   int
	Reclaims      int // how often it was taken over, for people
	Interruptions int // how often the database failed this attempt

	Handler *Handler
	Input   []byte // until a handler has it
	// Reload reads the input again, for an attempt that is run again; nil: it never is.
	Reload  func(ctx context.Context) ([]byte, error)
	Output  []byte // once the handler is back
	Started time.Time
	Reruns  int // of this attempt, after serialization failures
}

// Handler is the implementation of a node, with its limits.
type Handler struct {
	Node    string
	Queue   string
	Timeout time.Duration // of one attempt
	Backoff time.Duration // before the second attempt
	// Run decodes the input, calls the author's function and encodes its output.
	Run func(ex *Execution, input []byte) (output []byte, err error)
	// Refused is the recent share of completions that the database refused, which package commit keeps.
	Refused atomic.Int64
}

// Host is what an execution needs of its surroundings. The session's pool for handlers is not used where a transaction is lent,
// the one aside is where a handler calls a provider.
type Host struct {
	*store.Session
	// Name names the host, for people.
	Name string
	// Steps is the parent of the handlers' contexts. It ends with a cause when they must stop.
	Steps context.Context
	// Lasting is for database work that outlives the handlers.
	Lasting context.Context
	// Grace is how long a handler may go on after its timeout before nobody waits for it any more.
	Grace time.Duration
	// Quiet: what a step enqueues or queues in a lent transaction is not notified, and found by polling alone.
	Quiet bool
	// IdleTimeout is what a transaction of the execution's own sets as its idle timeout, in milliseconds: behind a pooler,
	// where the session cannot have it. Empty elsewhere.
	IdleTimeout string
}

// Fence queues one statement that fails where the step is not the host's any more, with [failure.CodeLeaseLost], which the
// schema's function lease_lost raises. It runs last, in the transaction of the step's writes. In a lent transaction, whose
// commit follows by itself, it may also touch no row instead. nil: the host has another way to be sure.
type Fence func(b *pgx.Batch)

// Event returns an event of the step.
func (s *Step) Event(kind lifecycle.Kind) lifecycle.Event {
	return lifecycle.Event{Kind: kind, Queue: s.Handler.Queue, RunID: s.RunID, Node: s.Node, Attempt: s.Attempt, Reclaims: s.Reclaims}
}
