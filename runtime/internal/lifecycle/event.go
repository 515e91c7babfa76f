package lifecycle

import "time"

// Kind names what happened.
type Kind string

// The events.
const (
	EventClaimed     Kind = "claimed"     // Count steps were claimed from Queue
	EventStarted     Kind = "started"     // a handler begins
	EventCompleted   Kind = "completed"   // a step's completion is committed; Duration since its start
	EventRetried     Kind = "retried"     // an attempt failed, another follows after Delay
	EventReleased    Kind = "released"    // handed back with its attempt unchanged: shutdown, the database went away, or it waits
	EventReclaimed   Kind = "reclaimed"   // taken over by the sweep after its lease ran out
	EventDiscarded   Kind = "discarded"   // given up, for Reason
	EventLeaseLost   Kind = "lease_lost"  // this worker's execution was refused
	EventStuck       Kind = "stuck"       // a handler runs on after its timeout and grace
	EventUnstuck     Kind = "unstuck"     // such a handler has come back
	EventLate        Kind = "late"        // a call through its context was refused, its attempt having ended; Err says how
	EventGroup       Kind = "group"       // Count steps were committed together
	EventUnknown     Kind = "unknown"     // a connection was lost while committing; the step is read again
	EventRetired     Kind = "retired"     // Count steps were removed, their retention being over
	EventUnreachable Kind = "unreachable" // the database does not answer, or refuses writes; Err says how
)

// Event is one thing that happened in a worker. Fields that do not apply are zero. It carries no payload.
type Event struct {
	Kind     Kind
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
