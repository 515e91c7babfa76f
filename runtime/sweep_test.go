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

// A step that is taken back keeps its place: it does not wait once more behind everything that was enqueued since.
func TestSweptStepKeepsItsPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var order []string
	action := NewAction[charge]("charge", WithTimeout(testTimeout))
	RegisterAction(b.reg, action, func(_ Context, in charge) error {
		order = append(order, in.User) // one at a time
		return nil
	})
	old := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"old", 1}))
	young := must[Run](t)(action.Enqueue(t.Context(), b.client, charge{"young", 1}))
	b.exec(`UPDATE idem.steps SET state = 'running', epoch = epoch + 1, lease_expires_at = now() - interval '1 s' WHERE run_id = $1`, old.ID)
	w, err := NewWorker(b.pool, b.reg, slow())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.lasting = t.Context()
	if n, err := w.sweepOnce(); n != 1 || err != nil {
		t.Fatalf("swept %d, %v", n, err)
	}
	w.closePools()
	cfg := slow()
	cfg.Queues = map[string]int{DefaultQueue: 1}
	stop := b.work(cfg)
	b.is(b.wait(young), StateCompleted, "", 1, 0)
	b.is(b.wait(old), StateCompleted, "", 1, 1)
	stop()
	if len(order) != 2 || order[0] != "old" {
		t.Errorf("in the order %v", order)
	}
}
