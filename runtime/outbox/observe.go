package outbox

import "time"

// EventKind names what an observer is told.
type EventKind string

// The events of a relay.
const (
	EventClaimed     EventKind = "claimed"     // Count commands were taken
	EventDelivered   EventKind = "delivered"   // a command's receipt is stored; Duration is the send's
	EventRetried     EventKind = "retried"     // a send's outcome is not known, another follows after Delay
	EventRejected    EventKind = "rejected"    // a command was refused for good
	EventDead        EventKind = "dead"        // a command was given up with its outcome unknown: somebody should look
	EventQuarantined EventKind = "quarantined" // the receiver knows the command's id with another payload: somebody must look
	EventParked      EventKind = "parked"      // something is set up wrongly: somebody must put it right
	EventReleased    EventKind = "released"    // Count commands were given back unsent
	EventLate        EventKind = "late"        // a command's outcome came after its claim was lost; it is not recorded
	EventOpened      EventKind = "opened"      // a destination fails, or asked for peace: nothing is sent there for Delay
	EventClosed      EventKind = "closed"      // a destination works again
	EventBacklog     EventKind = "backlog"     // Count commands are pending, the oldest since Age
	EventPurged      EventKind = "purged"      // Count finished commands were removed or archived
	EventUnreachable EventKind = "unreachable" // the database does not answer; Err says how
)

// Event is one thing that happened in a relay. Fields that do not apply are zero. It carries no payload; Destination
// may hold secrets where receivers put such into their URLs.
type Event struct {
	Kind        EventKind
	Table       string
	CommandID   string
	Destination string
	Attempt     int
	Err         error
	Count       int
	Duration    time.Duration
	Delay       time.Duration
	Age         time.Duration
}

// Observer is told what happens, for metrics and alarms. Observe is called on hot paths, from many goroutines: it
// must be quick, and must not block.
type Observer interface{ Observe(Event) }

// ObserverFunc makes a function an [Observer].
type ObserverFunc func(Event)

// Observe implements [Observer].
func (f ObserverFunc) Observe(e Event) { f(e) }

func (r *Relay) observe(e Event) {
	if r.cfg.Observer != nil {
		e.Table = r.table.Effect.Table
		r.cfg.Observer.Observe(e)
	}
}
