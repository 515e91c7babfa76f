package schedule

import (
	"reflect"
	"slices"
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

func TestPlanClaim(t *testing.T) {
	t.Parallel()
	cursor := Cursor{in(time.Hour), 7}
	now := in(2 * time.Hour)
	due, notDue := Cost{Next: now}, Cost{Next: now.Add(1)}
	full := Scan{To: cursor}
	recent := Scan{Recent: true, From: cursor.At.Add(-2 * time.Second), To: cursor}
	for _, c := range []struct {
		name  string
		queue Queue
		limit int
		want  Claim
	}{
		{"nothing is known", Queue{}, 5, Claim{Limit: 5, Full: true}},
		{"no places", Queue{}, 0, Claim{Full: true}},
		{"nothing was claimed, and full scans are not due", Queue{Full: notDue}, 5, Claim{Limit: 5, Full: true}},
		{"nothing was claimed, and full scans are slow", Queue{Full: notDue, Slow: true}, 5, Claim{Limit: 5, Full: true}},
		{"a full scan is due", Queue{Cursor: cursor, Full: due, Recent: due}, 5, Claim{Limit: 5, Full: true}},
		{"a full scan is not due", Queue{Cursor: cursor, Full: notDue, Recent: due}, 5, Claim{Limit: 5, From: cursor}},
		{"a full scan is due beside", Queue{Cursor: cursor, Full: due, Recent: notDue, Slow: true}, 5, Claim{Limit: 5, From: cursor, Beside: &full}},
		{"both are due beside", Queue{Cursor: cursor, Full: due, Recent: due, Slow: true}, 5, Claim{Limit: 5, From: cursor, Beside: &full}},
		{"a recent scan is due beside", Queue{Cursor: cursor, Full: notDue, Recent: due, Slow: true}, 5, Claim{Limit: 5, From: cursor, Beside: &recent}},
		{"none is due beside", Queue{Cursor: cursor, Full: notDue, Recent: notDue, Slow: true}, 5, Claim{Limit: 5, From: cursor}},
		{"one is under way", Queue{Cursor: cursor, Full: due, Recent: due, Slow: true, Scanning: true}, 5, Claim{Limit: 5, From: cursor}},
		{"one is under way that began when full scans were slow", Queue{Cursor: cursor, Full: due, Scanning: true}, 5, Claim{Limit: 5, Full: true}},
		{"known steps", Queue{Known: []int64{3, 1, 2}}, 5, Claim{These: []int64{3, 1, 2}}},
		{"as many known steps as places", Queue{Known: []int64{3, 1, 2}}, 3, Claim{These: []int64{3, 1, 2}}},
		{"more known steps than places", Queue{Known: []int64{3, 1, 2}}, 2, Claim{These: []int64{3, 1}}},
		{"known steps come before scans", Queue{Cursor: cursor, Full: due, Slow: true, Known: []int64{3}}, 5, Claim{These: []int64{3}}},
		{"known steps and no places", Queue{Cursor: cursor, Full: notDue, Known: []int64{3}}, 0, Claim{From: cursor}},
	} {
		got, after := PlanClaim(c.queue, now, c.limit)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		want := c.queue
		want.Scanning = want.Scanning || c.want.Beside != nil
		if c.want.These != nil {
			want.Known = nil
		}
		if !reflect.DeepEqual(after, want) {
			t.Errorf("%s: afterwards %+v is seen, want %+v", c.name, after, want)
		}
	}
}

// What a full claim took is known at once: the next claim begins at the cursor.
func TestClaimed(t *testing.T) {
	t.Parallel()
	first := Cursor{start, 3}
	for _, c := range []struct {
		name  string
		claim Claim
		took  time.Duration
		slow  bool
		next  time.Time
	}{
		{"from the cursor", Claim{}, time.Second, false, time.Time{}},
		{"of known steps", Claim{These: []int64{3}}, time.Second, false, time.Time{}},
		{"in no time", Claim{Full: true}, 0, false, start},
		{"as long as it may", Claim{Full: true}, claimWait, false, in(30 * claimWait)},
		{"too long", Claim{Full: true}, claimWait + 1, true, in(30 * (claimWait + 1))},
	} {
		q := NewQueue()
		q.Claimed(c.claim, first, start, in(c.took))
		if q.Cursor != first || q.Slow != c.slow || !q.Full.Next.Equal(c.next) {
			t.Errorf("a claim %s: %+v is seen, want slow %v and the next at %v", c.name, q, c.slow, c.next)
		}
	}
	q := NewQueue()
	q.Slow = true
	if q.Claimed(Claim{Full: true}, Cursor{}, start, in(1)); q.Slow || !q.Cursor.IsZero() {
		t.Errorf("after a quick one that found nothing %+v is seen", q)
	}
	if q.Polled(start, in(time.Second)); !q.Slow || q.Full.Taken == 0 {
		t.Errorf("after a slow poll %+v is seen", q)
	}
}

func TestScanned(t *testing.T) {
	t.Parallel()
	const took = 40 * time.Millisecond
	soonest := in(time.Second / 2)
	for _, c := range []struct {
		name                 string
		scan                 Scan
		found                []int64
		took                 time.Duration
		slow                 bool
		nextFull, nextRecent time.Time
	}{
		{"full", Scan{}, []int64{4, 5}, took, true, in(30 * took), time.Time{}},
		{"full, and quick", Scan{}, []int64{4, 5}, claimWait, false, in(30 * claimWait), time.Time{}},
		{"full, and failed", Scan{}, nil, took, true, in(30 * took), time.Time{}},
		{"recent", Scan{Recent: true}, []int64{4}, took, true, time.Time{}, in(30 * took)},
		{"recent, and quick", Scan{Recent: true}, []int64{4}, time.Millisecond, true, time.Time{}, soonest},
		{"recent, in no time", Scan{Recent: true}, nil, 0, true, time.Time{}, soonest},
	} {
		q := NewQueue()
		q.Slow, q.Scanning, q.Known = true, true, []int64{3}
		q.Scanned(c.scan, c.found, start, in(c.took))
		if q.Scanning || !slices.Equal(q.Known, append([]int64{3}, c.found...)) {
			t.Errorf("%s: %+v is seen", c.name, q)
		}
		if q.Slow != c.slow || !q.Full.Next.Equal(c.nextFull) || !q.Recent.Next.Equal(c.nextRecent) {
			t.Errorf("%s: the next ones are due at %v and %v, want %v and %v; slow %v", c.name, q.Full.Next, q.Recent.Next, c.nextFull, c.nextRecent, q.Slow)
		}
	}
}

func TestPlanRest(t *testing.T) {
	t.Parallel()
	const pause = time.Second
	soon := Cost{Next: in(time.Millisecond)}
	for _, c := range []struct {
		name  string
		queue Queue
		last  Claim
		want  time.Duration
	}{
		{"after a full claim", Queue{Full: soon}, Claim{Full: true}, pause},
		{"after a claim from the cursor", Queue{Full: soon}, Claim{}, time.Millisecond},
		{"with the next full one later than a poll", Queue{Full: Cost{Next: in(time.Hour)}}, Claim{}, pause},
		{"with the next full one due", Queue{Full: Cost{Next: start}}, Claim{}, 0},
		{"with the next full one overdue", Queue{Full: Cost{Next: in(-time.Second)}}, Claim{}, -time.Second},
		{"where full ones are slow", Queue{Full: soon, Slow: true}, Claim{}, pause},
	} {
		if got := PlanRest(c.queue, c.last, start, pause); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPlanPoll(t *testing.T) {
	t.Parallel()
	cursor := Cursor{start, 1}
	for _, c := range []struct {
		name  string
		queue Queue
		last  Claim
		want  bool
	}{
		{"after a claim from the cursor", Queue{Cursor: cursor}, Claim{}, false},
		{"after a full claim", Queue{Cursor: cursor}, Claim{Full: true}, true},
		{"at the moment when the next is due", Queue{Cursor: cursor, Full: Cost{Next: start}}, Claim{Full: true}, true},
		{"a moment earlier", Queue{Cursor: cursor, Full: Cost{Next: in(1)}}, Claim{Full: true}, false},
		{"where full scans are slow", Queue{Cursor: cursor, Slow: true}, Claim{Full: true}, false},
		{"where they are slow and nothing was claimed", Queue{Slow: true, Full: Cost{Next: in(1)}}, Claim{Full: true}, true},
	} {
		if got := PlanPoll(c.queue, c.last, start); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPlanNextPoll(t *testing.T) {
	t.Parallel()
	const pause = time.Second
	later := Cost{Next: in(time.Minute)}
	for _, c := range []struct {
		name  string
		queue Queue
		due   time.Duration
		want  time.Duration
	}{
		{"nothing is due soon", Queue{Full: later}, time.Hour, pause},
		{"a step is due before", Queue{Full: later}, time.Millisecond, time.Millisecond},
		{"both at the same time", Queue{Full: later}, pause, pause},
		{"slow scans wait", Queue{Full: later, Slow: true}, time.Millisecond, time.Minute},
		{"slow ones that are due do not", Queue{Full: Cost{Next: start}, Slow: true}, time.Hour, pause},
	} {
		if got := PlanNextPoll(c.queue, start, c.due, pause); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCursorsInOrder(t *testing.T) {
	t.Parallel()
	inOrder := []Cursor{{}, {start, 1}, {start, 2}, {in(1), 0}, {in(time.Second), 1}}
	for i, a := range inOrder {
		if a.IsZero() != (i == 0) {
			t.Errorf("%v is zero: %v", a, a.IsZero())
		}
		for j, b := range inOrder {
			if a.after(b) != (i > j) {
				t.Errorf("%v is after %v: %v", a, b, a.after(b))
			}
		}
	}
}
