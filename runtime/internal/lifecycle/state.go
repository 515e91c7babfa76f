package lifecycle

// State is where a step is in its life.
type State string

// The states. A step ends in completed, discarded or cancelled.
const (
	StatePending   State = "pending"   // waits to be claimed, perhaps for a later time
	StateRunning   State = "running"   // a worker holds its lease
	StateCompleted State = "completed" // its writes are committed
	StateDiscarded State = "discarded" // given up, none of its writes are committed
	StateCancelled State = "cancelled" // by a person; none of its writes are committed
)

// Ended reports whether a step in this state will not run again by itself.
func (s State) Ended() bool {
	return s == StateCompleted || s == StateDiscarded || s == StateCancelled
}

// Reason says why a step was discarded, or why its last execution did not complete it.
type Reason string

// The reasons.
const (
	ReasonError              Reason = "error"               // the handler returned an error
	ReasonPanic              Reason = "panic"               // the handler panicked
	ReasonTimeout            Reason = "timeout"             // the attempt ran longer than its timeout
	ReasonEffectFailed       Reason = "effect_failed"       // the database refused a write of the completion
	ReasonTxAborted          Reason = "tx_aborted"          // a failed statement was ignored
	ReasonTxControl          Reason = "tx_control"          // the handler ended the transaction by itself
	ReasonAttemptsExhausted  Reason = "attempts_exhausted"  // the last allowed attempt failed
	ReasonReclaimLimit       Reason = "reclaim_limit"       // the workers died on it too often
	ReasonPermanent          Reason = "permanent"           // the handler said that no retry can mend it
	ReasonPayloadMismatch    Reason = "payload_mismatch"    // a key met a second payload
	ReasonOutputTooLarge     Reason = "output_too_large"    // the output is over its limit
	ReasonPayloadUnencodable Reason = "payload_unencodable" // the output cannot be stored as it is
	ReasonInputUndecodable   Reason = "input_undecodable"   // the stored input does not fit the handler's type
	ReasonLeaseExpired       Reason = "lease_expired"       // reclaimed by the sweep
	ReasonInterrupted        Reason = "interrupted"         // the database went away; not the handler's fault
	ReasonWaiting            Reason = "waiting"             // the handler waits for what is not known yet
	ReasonShutdown           Reason = "shutdown"            // handed back by a stopping worker
	ReasonCancelled          Reason = "cancelled"           // by a person
)
