package runtime

import (
	"testing"
	"time"
)

// TestSweptStepsNeedNoPoll: whoever takes a step back also wakes its queue, and only once the step can be claimed. A
// queue that is woken before the sweep has committed finds nothing, and would wait for the next poll.
func TestSweptStepsNeedNoPoll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	action := NewAction[charge]("charge", WithTimeout(testTimeout))
	RegisterAction(b.reg, action, recordCharge)
	cfg := quick()
	cfg.Sweep, cfg.Poll, cfg.PollOnly = 5*time.Millisecond, time.Hour, true
	b.work(cfg)
	for range 200 {
		run := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"ann", 1}, WithDelay(time.Hour)))
		// A worker claimed it, and died long ago.
		b.exec(`UPDATE idem.steps SET state = 'running', epoch = epoch + 1, lease_expires_at = now() - interval '1 s' WHERE run_id = $1`, run.ID)
		b.is(b.wait(run), StateCompleted, "", 1, 1)
	}
}
