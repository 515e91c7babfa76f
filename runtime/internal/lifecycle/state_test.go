package lifecycle

import "testing"

func TestEnded(t *testing.T) {
	t.Parallel()
	for state, want := range map[State]bool{
		StatePending: false, StateRunning: false, StateCompleted: true, StateDiscarded: true, StateCancelled: true, "": false, "unknown": false,
	} {
		if state.Ended() != want {
			t.Errorf("%q has ended: %v", state, !want)
		}
	}
}
