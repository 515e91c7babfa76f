package runtime

import (
	"sync"
	"sync/atomic"
	"time"
)

// heldStep is a step that this worker has claimed, until it is settled: completed, failed, handed back,
// or lost.
type heldStep struct {
	id            int64
	runID         string
	node          string
	epoch         int64 // the fence: what the claim set
	attempt       int
	reclaims      int
	interruptions int
	maxAttempts   int
	input         []byte // until a handler has it

	handler *handler
	queue   *queue
	started time.Time
	output  []byte
	reruns  int // of this attempt, after serialization failures
	unknown int // commits that were sent and whose outcome is not known

	settled atomic.Bool // somebody has taken it on to settle the step
	stuck   atomic.Bool // settled while its handler still runs
	parties atomic.Int32

	mu      sync.Mutex
	current *execution
	lost    error // why it must not run on; nil while it may
}

// settleOnce gives the right to settle the step to one caller.
func (s *heldStep) settleOnce() bool { return s.settled.CompareAndSwap(false, true) }

// enter makes ex the step's execution, unless the step must not run any more.
func (s *heldStep) enter(ex *execution) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		return s.lost
	}
	s.current = ex
	return nil
}

// end stops the step from running, now and later.
func (s *heldStep) end(cause error) {
	s.mu.Lock()
	ex := s.current
	if s.lost == nil {
		s.lost = cause
	}
	s.mu.Unlock()
	if ex != nil {
		ex.end(cause)
	}
}

// leave frees the step's place in its queue once the handler is back and the step is settled.
func (s *heldStep) leave() {
	if s.parties.Add(-1) == 0 {
		s.queue.put(1)
	}
}

// hold takes a claimed step into the worker's care: its lease is renewed until it is finished.
func (w *Worker) hold(s *heldStep) {
	s.parties.Store(2)
	w.running.Add(1)
	w.mu.Lock()
	w.held[s.id] = s
	w.mu.Unlock()
}

// finished ends the care for a settled step.
func (w *Worker) finished(s *heldStep) {
	w.mu.Lock()
	// The step may have come back to this worker in the meantime.
	if w.held[s.id] == s {
		delete(w.held, s.id)
	}
	w.mu.Unlock()
	s.leave()
	w.running.Done()
}

// holding gives the steps in the worker's care.
func (w *Worker) holding() []*heldStep {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]*heldStep, 0, len(w.held))
	for _, s := range w.held {
		all = append(all, s)
	}
	return all
}
