package runtime

import "github.com/idem-go/idem/runtime/internal/lifecycle"

// State is where a step is in its life. Its method Ended reports whether a step in this state will not run again by itself.
type State = lifecycle.State

// The states. A step ends in completed, discarded or cancelled.
const (
	StatePending   State = lifecycle.StatePending   // waits to be claimed, perhaps for a later time
	StateRunning   State = lifecycle.StateRunning   // a worker holds its lease
	StateCompleted State = lifecycle.StateCompleted // its writes are committed
	StateDiscarded State = lifecycle.StateDiscarded // given up, none of its writes are committed
	StateCancelled State = lifecycle.StateCancelled // by [Client.Cancel]; none of its writes are committed
)

// Reason says why a step was discarded, or why its last execution did not complete it.
type Reason = lifecycle.Reason

// The reasons.
const (
	ReasonError              Reason = lifecycle.ReasonError              // the handler returned an error
	ReasonPanic              Reason = lifecycle.ReasonPanic              // the handler panicked
	ReasonTimeout            Reason = lifecycle.ReasonTimeout            // the attempt ran longer than its timeout
	ReasonEffectFailed       Reason = lifecycle.ReasonEffectFailed       // the database refused a write of the completion
	ReasonTxAborted          Reason = lifecycle.ReasonTxAborted          // a failed statement was ignored
	ReasonTxControl          Reason = lifecycle.ReasonTxControl          // the handler ended the transaction by itself
	ReasonAttemptsExhausted  Reason = lifecycle.ReasonAttemptsExhausted  // the last allowed attempt failed
	ReasonReclaimLimit       Reason = lifecycle.ReasonReclaimLimit       // the workers died on it too often
	ReasonPermanent          Reason = lifecycle.ReasonPermanent          // the handler returned [Permanent]
	ReasonPayloadMismatch    Reason = lifecycle.ReasonPayloadMismatch    // a key met a second payload
	ReasonOutputTooLarge     Reason = lifecycle.ReasonOutputTooLarge     // the output is over its limit
	ReasonPayloadUnencodable Reason = lifecycle.ReasonPayloadUnencodable // the output cannot be stored as it is
	ReasonInputUndecodable   Reason = lifecycle.ReasonInputUndecodable   // the stored input does not fit the handler's type
	ReasonLeaseExpired       Reason = lifecycle.ReasonLeaseExpired       // reclaimed by the sweep
	ReasonInterrupted        Reason = lifecycle.ReasonInterrupted        // the database went away; not the handler's fault
	ReasonWaiting            Reason = lifecycle.ReasonWaiting            // the handler returned [Wait]
	ReasonShutdown           Reason = lifecycle.ReasonShutdown           // handed back by a stopping worker
	ReasonCancelled          Reason = lifecycle.ReasonCancelled          // by [Client.Cancel]
)
