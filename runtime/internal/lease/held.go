package lease

import (
	"sync"
	"sync/atomic"

	"github.com/idem-go/idem/runtime/internal/step"
)

// Held is a step that this worker has claimed, until it is settled: completed, failed, handed back,
// or lost.
type Held struct {
	step.Step
	ID    int64
	Epoch int64 // the fence: what the claim set
	Place Place

	keeper *Keeper

	// Doubts counts commits that were sent and whose outcome is not known.
	Doubts int

	settled atomic.Bool // somebody has taken it on to settle the step
	stuck   atomic.Bool // settled while its handler still runs
	parties atomic.Int32

	mu      sync.Mutex
	lost    error // why it must not run on; nil while it may
	current atomic.Pointer[step.Execution]
}

// Returned implements [step.Owner].
func (s *Held) Returned(ex *step.Execution, r step.Return) (again bool) {
	return s.keeper.Driver.Returned(s, ex, r)
}

// Overran implements [step.Owner].
func (s *Held) Overran(*step.Execution) { s.keeper.Driver.Overran(s) }

// Driver is who runs the handlers of held steps.
type Driver interface {
	// Returned is told that a handler is back. again asks for the same attempt once more.
	Returned(s *Held, ex *step.Execution, r step.Return) (again bool)
	// Overran is told that a handler runs on although its timeout and the grace are over.
	Overran(s *Held)
}

// Place is where a step came from.
type Place interface {
	// Put gives back places that steps had.
	Put(n int)
	// Announce lets somebody look for work there.
	Announce()
}

// SettleOnce reports whether the caller is the one to settle the step. It is so once.
func (s *Held) SettleOnce() bool { return s.settled.CompareAndSwap(false, true) }

// Unsettle lets the step be settled again, after a run that another one of the same attempt follows.
func (s *Held) Unsettle() { s.settled.Store(false) }

// Settled reports whether somebody has taken it on to settle the step.
func (s *Held) Settled() bool { return s.settled.Load() }

// Stuck marks a step that is settled while its handler still runs.
func (s *Held) Stuck() { s.stuck.Store(true) }

// WasStuck reports whether the step was settled while its handler still ran.
func (s *Held) WasStuck() bool { return s.stuck.Load() }

// Enter makes ex the step's execution; it returns why the step must not run any more, if so.
func (s *Held) Enter(ex *step.Execution) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		return s.lost
	}
	s.current.Store(ex)
	return nil
}

// Execution returns the one that the step is in, or was in last.
func (s *Held) Execution() *step.Execution { return s.current.Load() }

// End stops the step from running, now and later.
func (s *Held) End(cause error) {
	s.mu.Lock()
	ex := s.current.Load()
	if s.lost == nil {
		s.lost = cause
	}
	s.mu.Unlock()
	if ex != nil {
		ex.End(cause)
	}
}

// Leave frees the step's place once the handler is back and the step is settled.
func (s *Held) Leave() {
	if s.parties.Add(-1) == 0 {
		s.Place.Put(1)
	}
}
