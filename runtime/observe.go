package runtime

import "time"

// EventKind names what an observer is told.
type EventKind string

// The events of a worker.
const (
	EventClaimed     EventKind = "claimed"     // Count steps were claimed from Queue
	EventStarted     EventKind = "started"     // a handler begins
	EventCompleted   EventKind = "completed"   // a step's completion is committed; Duration since its start
	EventRetried     EventKind = "retried"     // an attempt failed, another follows after Delay
	EventReleased    EventKind = "released"    // handed back with its attempt unchanged: shutdown, the database went away, or it waits
	EventReclaimed   EventKind = "reclaimed"   // taken over by the sweep after its lease ran out
	EventDiscarded   EventKind = "discarded"   // given up, for Reason
	EventLeaseLost   EventKind = "lease_lost"  // this worker's execution was refused
	EventStuck       EventKind = "stuck"       // a handler runs on after its timeout and grace
	EventUnstuck     EventKind = "unstuck"     // such a handler has come back
	EventLate        EventKind = "late"        // a call through its context was refused, its attempt having ended; Err says how
	EventGroup       EventKind = "group"       // Count steps were committed together
	EventUnknown     EventKind = "unknown"     // a connection was lost while committing; the step is read again
	EventRetired     EventKind = "retired"     // Count steps were removed, their retention being over
	EventUnreachable EventKind = "unreachable" // the database does not answer, or refuses writes; Err says how
)

// Event is one thing that happened in a worker. Fields that do not apply are zero. It carries no payload.
type Event struct {
	Kind     EventKind
	Queue    string
	RunID    string
	Node     string
	Attempt  int
	Reclaims int
	Reason   Reason
	Err      error
	Count    int           // steps claimed, committed as a group, or removed
	Trips    int           // round trips to the database that a step or a group took
	Duration time.Duration // from the handler's start
	Delay    time.Duration // until the next attempt
}

// Observer is told what happens, for metrics. Observe is called on hot paths, from many goroutines: it
// must be quick, and must not block.
type Observer interface{ Observe(Event) }

// ObserverFunc makes a function an [Observer].
type ObserverFunc func(Event)

// Observe implements [Observer].
func (f ObserverFunc) Observe(e Event) { f(e) }

func (w *Worker) observe(e Event) {
	if w.cfg.Observer != nil {
		w.cfg.Observer.Observe(e)
	}
}

func (s *heldStep) event(kind EventKind) Event {
	return Event{Kind: kind, Queue: s.handler.queue, RunID: s.runID, Node: s.node, Attempt: s.attempt, Reclaims: s.reclaims}
}
