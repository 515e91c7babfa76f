package runtime

import (
	"time"

	"github.com/idem-go/idem/runtime/internal/lifecycle"
)

// EventKind names what an observer is told.
type EventKind = lifecycle.Kind

// The events of a worker.
const (
	EventClaimed     EventKind = lifecycle.EventClaimed     // Count steps were claimed from Queue
	EventStarted     EventKind = lifecycle.EventStarted     // a handler begins
	EventCompleted   EventKind = lifecycle.EventCompleted   // a step's completion is committed; Duration since its start
	EventRetried     EventKind = lifecycle.EventRetried     // an attempt failed, another follows after Delay
	EventReleased    EventKind = lifecycle.EventReleased    // handed back with its attempt unchanged: shutdown, the database went away, or it waits
	EventReclaimed   EventKind = lifecycle.EventReclaimed   // taken over by the sweep after its lease ran out
	EventDiscarded   EventKind = lifecycle.EventDiscarded   // given up, for Reason
	EventLeaseLost   EventKind = lifecycle.EventLeaseLost   // this worker's execution was refused
	EventStuck       EventKind = lifecycle.EventStuck       // a handler runs on after its timeout and grace
	EventUnstuck     EventKind = lifecycle.EventUnstuck     // such a handler has come back
	EventLate        EventKind = lifecycle.EventLate        // a call through its context was refused, its attempt having ended; Err says how
	EventGroup       EventKind = lifecycle.EventGroup       // Count steps were committed together
	EventUnknown     EventKind = lifecycle.EventUnknown     // a connection was lost while committing; the step is read again
	EventRetired     EventKind = lifecycle.EventRetired     // Count steps were removed, their retention being over
	EventUnreachable EventKind = lifecycle.EventUnreachable // the database does not answer, or refuses writes; Err says how
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

// observing passes the events of the runtime's parts on.
func observing(o Observer) func(lifecycle.Event) {
	if o == nil {
		return nil
	}
	return func(e lifecycle.Event) { o.Observe(Event(e)) }
}
