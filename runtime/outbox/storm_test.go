package outbox_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Relay processes are killed at random while they send, and the receiver drops answers now and then. In the end every
// command is delivered, and done once; that receivers did see requests twice shows that there was something to survive.
func TestF48_KillStorm(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	const n, kills = 1500, 6
	for i := range n {
		b.queuePing(fmt.Sprint(i), fmt.Sprintf("%s/%d", l.URL, i%5), i)
	}
	l.answer = func(int, request) int {
		time.Sleep(time.Millisecond)
		if rand.N(40) == 0 {
			return dropAnswer
		}
		return 0
	}
	for range kills {
		kill := b.start(2 * time.Second)
		before := len(l.seen(""))
		b.eventually("the relay sends", func() bool { return len(l.seen("")) > before+20 })
		time.Sleep(rand.N(30 * time.Millisecond))
		kill()
	}
	cfg := quick()
	cfg.Lease, cfg.SendTimeout, cfg.BreakAfter = 2*time.Second, time.Second, 50
	b.relay(NewPingRelay, post(t), cfg)
	b.relay(NewPingRelay, post(t), cfg)
	b.settled("pings", n)
	if delivered := b.count(`SELECT count(*) FROM pings WHERE state = 'delivered' AND receipt IS NOT NULL AND claim_expires_at IS NULL`); delivered != n {
		t.Errorf("%d of %d are delivered", delivered, n)
	}
	requests := len(l.seen(""))
	if l.effectCount() != n || requests <= n {
		t.Errorf("%d effects and %d requests for %d commands", l.effectCount(), requests, n)
	}
	// A kill can cost an attempt that was not sent, never a send that was not counted.
	if attempts := b.count(`SELECT sum(attempts) FROM pings`); attempts < requests {
		t.Errorf("%d attempts are recorded for %d requests", attempts, requests)
	}
	bodies := map[string][]byte{}
	for _, r := range l.seen("") {
		if first, known := bodies[r.ID]; known && !slices.Equal(first, r.Body) {
			t.Errorf("command %s came with two bodies", r.ID)
		}
		bodies[r.ID] = r.Body
	}
	t.Logf("%d commands, %d requests", n, requests)
}
