package outbox

// State is where a command stands.
type State string

// The states. All but StatePending are final, until [Replay].
const (
	StatePending     State = "pending"     // to be sent, or being sent
	StateDelivered   State = "delivered"   // the receiver has taken it, and its receipt is stored
	StateRejected    State = "rejected"    // the receiver has refused it, or it must not be sent
	StateDead        State = "dead"        // given up: too many sends, or past the receiver's window, with the outcome unknown
	StateQuarantined State = "quarantined" // the receiver knows its id with another payload
	StateParked      State = "parked"      // it cannot be sent as things are set up
)
