package schedule

import (
	"testing"
	"time"
)

// at is a queue whose claims have come to a cursor.
func at(cursor Cursor) Queue {
	q := NewQueue()
	q.Cursor = cursor
	return q
}

// Full scans take a thirtieth of the time at most, however long they are, and always come again.
func TestFullScansShare(t *testing.T) {
	t.Parallel()
	now := time.Now()
	q := NewQueue()
	if c, _ := PlanClaim(q, now, 1); !c.Full {
		t.Error("the first claim does not begin at the beginning")
	}
	q = at(Cursor{now, 7})
	q.Wait = time.Minute
	full := func(at time.Time) bool {
		c, _ := PlanClaim(q, at, 1)
		return c.Full
	}
	for _, cost := range []time.Duration{0, time.Microsecond, 3 * time.Millisecond, 20 * time.Second} {
		for range 10 { // until it is believed
			now = now.Add(cost)
			q.Claimed(Claim{Full: true}, Cursor{}, now.Add(-cost), now)
		}
		if cost > 0 && full(now.Add(fullShare*cost-1)) {
			t.Errorf("after claims of %v the next one comes before %v", cost, fullShare*cost)
		}
		if now = now.Add(fullShare * cost); !full(now) {
			t.Errorf("after claims of %v the next one is not due in %v", cost, fullShare*cost)
		}
	}
}

// Scans from a little before the cursor come twice a second at most.
func TestRecentScansShare(t *testing.T) {
	t.Parallel()
	now := time.Now()
	q := NewQueue()
	q.Scanned(Scan{Recent: true}, nil, now, now.Add(time.Millisecond))
	if q.Recent.Due(now.Add(recentEvery-1)) || !q.Recent.Due(now.Add(recentEvery)) {
		t.Errorf("after a short scan the next one is due after %v", q.Recent.Next.Sub(now))
	}
	for range 10 {
		q.Scanned(Scan{Recent: true}, nil, now, now.Add(time.Second))
	}
	if after := q.Recent.Next.Sub(now); after != (1+fullShare)*time.Second {
		t.Errorf("after long scans the next one is due after %v", after)
	}
}

// One scan that took long, because the machine or the database stood still, does not put the next one off by as much: only
// where they go on taking long, they come rarely.
func TestOneSlowScanIsNotBelieved(t *testing.T) {
	t.Parallel()
	var c Cost
	now := time.Now()
	pause := func(cost time.Duration) time.Duration {
		c.Took(now.Add(-cost), now)
		return c.Next.Sub(now)
	}
	if p := pause(time.Second); p != fullShare*time.Second {
		t.Errorf("after a slow scan that is the first the next one is due in %v", p)
	}
	pause(time.Millisecond)
	if p := pause(10 * time.Second); p > time.Second {
		t.Errorf("after one slow scan the next one is due in %v", p)
	}
	if p := pause(time.Millisecond); p != fullShare*time.Millisecond {
		t.Errorf("after a quick scan the next one is due in %v", p)
	}
	var spent time.Duration
	for n := 0; ; n++ {
		if p := pause(time.Second); p == fullShare*time.Second {
			break
		}
		if spent += time.Second; n == 10 {
			t.Fatalf("slow scans are never believed")
		}
	}
	if spent > 5*time.Second {
		t.Errorf("slow scans are believed after %v", spent)
	}
}

func TestCursorNeverGoesBack(t *testing.T) {
	t.Parallel()
	now := time.Now()
	q := NewQueue()
	for _, c := range []struct{ first, want Cursor }{
		{Cursor{now, 7}, Cursor{now, 7}},
		{Cursor{now.Add(-time.Second), 9}, Cursor{now, 7}},
		{Cursor{now, 5}, Cursor{now, 7}},
		{Cursor{}, Cursor{now, 7}},
		{Cursor{now, 8}, Cursor{now, 8}},
		{Cursor{now.Add(time.Microsecond), 1}, Cursor{now.Add(time.Microsecond), 1}},
	} {
		q.Claimed(Claim{}, c.first, now, now)
		if q.Cursor != c.want {
			t.Errorf("after a claim from %v it is at %v, want %v", c.first, q.Cursor, c.want)
		}
	}
}
