package schedule

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// claimWorld is a queue, its database and a worker of it.
type claimWorld struct {
	steps  int
	span   time.Duration // in which they are enqueued
	late   float64       // are visible later than they are due: their transaction lasts
	lateBy time.Duration
	future float64 // are due later than they are enqueued
	silent float64 // are not announced
	again  float64 // of the runs are taken back: their worker has died
	handed float64 // of those by this worker

	places  int
	handler time.Duration // what a step takes at most
	poll    time.Duration

	statement time.Duration // what each costs
	dead      time.Duration // what it costs to pass over an entry of a step that was claimed
	snapshot  span          // while it is held these stay
	stalls    float64       // of the statements last long
	stall     time.Duration
}

func drawClaimWorld(t *rapid.T) claimWorld {
	const us, ms, sec = time.Microsecond, time.Millisecond, time.Second
	w := claimWorld{
		steps: rapid.IntRange(1, 200).Draw(t, "steps"), span: of(t, "span", 0, sec, 10*sec, time.Minute),
		late: share(t, "late"), lateBy: of(t, "late by", sec, 100*ms, 10*sec), future: share(t, "future"), silent: share(t, "silent"),
		again: share(t, "again") / 2, handed: share(t, "handed"),
		places: of(t, "places", 1000, 50, 10, 2, 1), handler: of(t, "handler", 0, ms, 100*ms, sec), poll: of(t, "poll", sec, 10*ms, 2*sec),
		statement: of(t, "statement", 100*us, 0, ms, 10*ms, 30*ms), dead: of(t, "dead", 0, 100*us, ms, 5*ms),
		stalls: of(t, "stalls", 0, 0.01, 0.1), stall: of(t, "stall", 50*ms, sec),
	}
	w.snapshot.began = in(of(t, "snapshot from", 0, 5*sec))
	w.snapshot.ended = w.snapshot.began.Add(of(t, "snapshot held", 0, 10*sec, 5*time.Minute))
	return w
}

// queueStep is a step of the model.
type queueStep struct {
	id      int64
	due     time.Time
	visible time.Time
	held    bool // or over
	runs    int
}

func (s *queueStep) place() Cursor { return Cursor{s.due, s.id} }

// ready is when it may be claimed.
func (s *queueStep) ready() time.Time { return latest(s.due, s.visible) }

// claims drives the plans as package claim does.
type claims struct {
	simulation
	claimWorld
	steps   []*queueStep
	left    int
	dead    []Cursor // entries that nothing cleans away, in order
	seen    Queue
	full    shares
	slow    bool // the last full scan kept claims waiting for longer than it may
	free    int
	woken   bool
	swept   []int64
	ended   func()        // a scan beside the claims has, and nobody has heard of it
	beside  bool          // one is under way, or nobody has heard of its end
	longest time.Duration // of the statements
}

// Every step that is visible and due is claimed, within a bound, whatever is held, late, unannounced or taken back.
func TestClaimsFollowTheirModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := &claims{simulation: newSimulation(rt), claimWorld: drawClaimWorld(rt), seen: NewQueue()}
		c.free, c.left = c.places, c.claimWorld.steps
		for id := range c.left {
			c.enqueue(int64(id+1), in(c.upTo(c.span)))
		}
		slices.SortFunc(c.steps, (*queueStep).compare)
		c.at(c.snapshot.ended, func() { c.dead = nil })
		c.run()
	})
}

func (s *queueStep) compare(other *queueStep) int {
	return cmp.Or(s.due.Compare(other.due), cmp.Compare(s.id, other.id))
}

func (c *claims) enqueue(id int64, at time.Time) {
	s := &queueStep{id: id, due: at, visible: at}
	switch {
	case c.happens(c.late):
		s.visible = at.Add(c.upTo(c.lateBy))
	case c.happens(c.future):
		s.due = at.Add(c.upTo(c.span))
	}
	c.steps = append(c.steps, s)
	if !c.happens(c.silent) {
		c.at(s.visible, c.announce)
	}
}

func (c *claims) announce() { c.woken = true }

// run is claim.Loop.Run, until all steps are over.
func (c *claims) run() {
	var backlog Backlog
	for c.left > 0 {
		for _, s := range c.steps {
			c.waits(s)
		}
		limit := c.take(backlog)
		plan := c.next(limit)
		taken := c.claim(plan)
		c.free += limit - taken
		if plan.These == nil {
			backlog = backlog.Note(taken == limit, c.now)
		}
		if taken < limit && plan.These == nil {
			c.rest(plan)
		}
	}
}

func (c *claims) take(backlog Backlog) int {
	c.await(c.now.Add(time.Hour), func() bool { return c.free > 0 })
	worthwhile := Worthwhile(c.places)
	c.await(c.now.Add(Patience(backlog, c.free, worthwhile)), func() bool { return c.free >= worthwhile })
	limit := min(c.free, ClaimLimit)
	c.free -= limit
	return limit
}

// next is claim.Loop.Next, and checks what is planned.
func (c *claims) next(limit int) Claim {
	if c.ended != nil {
		c.ended()
		c.ended, c.beside = nil, false
	}
	for len(c.seen.Known) < limit && len(c.swept) > 0 {
		c.seen.Known, c.swept = append(c.seen.Known, c.swept[0]), c.swept[1:]
	}
	before := c.seen
	plan, after := PlanClaim(before, c.now, limit)
	c.seen = after
	switch {
	case plan.Limit > limit || len(plan.These) > limit || plan.Limit > 0 == (len(plan.These) > 0):
		c.Fatalf("a claim of up to %d is %+v", limit, plan)
	case plan.These == nil && plan.Full != plan.From.IsZero():
		c.Fatalf("a claim from %v is full: %v", plan.From, plan.Full)
	case plan.Full && c.slow && !before.Cursor.IsZero():
		c.Fatalf("the last full scan kept claims waiting, and this one is another: %+v", before)
	case plan.Beside != nil && c.beside:
		c.Fatalf("two scans are under way beside the claims: %+v", before)
	case plan.Beside != nil && plan.Beside.To != before.Cursor:
		c.Fatalf("a scan behind the cursor %v ends at %v", before.Cursor, plan.Beside.To)
	}
	if plan.Beside != nil {
		c.scan(*plan.Beside)
	}
	return plan
}

// scan looks for steps behind the cursor while time passes.
func (c *claims) scan(s Scan) {
	c.beside = true
	began := c.now
	var found []int64
	for _, step := range c.steps {
		behind := !step.due.Before(s.From) && s.To.after(step.place())
		if behind && c.claimable(step) && len(found) < ClaimLimit {
			found = append(found, step.id)
		}
	}
	cost := c.cost(Cursor{At: s.From}, s.To)
	if !s.Recent {
		c.full.scan(c.T, began, began.Add(cost), true)
	}
	c.at(began.Add(cost), func() {
		ended := c.now
		c.ended = func() {
			c.seen.Scanned(s, found, began, ended)
			c.slow = c.slow && (s.Recent || cost > 20*time.Millisecond)
		}
		if len(found) > 0 {
			c.announce()
		}
	})
}

func (c *claims) claimable(s *queueStep) bool { return !s.held && !s.ready().After(c.now) }

// cost is what a statement takes that passes over the entries between two places.
func (c *claims) cost(from, to Cursor) time.Duration {
	cost := c.statement
	for _, d := range c.dead {
		if !from.after(d) && to.after(d) {
			cost += c.claimWorld.dead
		}
	}
	if c.happens(c.stalls) {
		cost += c.stall
	}
	c.longest = max(c.longest, cost)
	return cost
}

// claim claims what is planned, and returns how many steps those were.
func (c *claims) claim(plan Claim) int {
	began, was := c.now, c.seen.Cursor
	taken, cost := c.found(plan)
	var first Cursor
	for _, s := range taken {
		c.waits(s)
		s.held = true
		if first.IsZero() || first.after(s.place()) {
			first = s.place()
		}
	}
	c.spend(cost)
	if plan.Full { // where nothing was claimed yet, every scan is full
		c.scannedAll(began, !was.IsZero())
	}
	c.seen.Claimed(plan, first, began, c.now)
	if is := c.seen.Cursor; was.after(is) || is != was && is != first {
		c.Fatalf("after a claim from %v on the cursor went from %v to %v", first, was, is)
	}
	for _, s := range taken {
		c.start(s)
	}
	return len(taken)
}

// found returns the steps that a claim takes, and what that costs.
func (c *claims) found(plan Claim) (taken []*queueStep, cost time.Duration) {
	last := Cursor{At: c.now}
	for _, s := range c.steps {
		wanted := !plan.From.after(s.place())
		if plan.These != nil {
			wanted = slices.Contains(plan.These, s.id)
		}
		if wanted && c.claimable(s) {
			taken = append(taken, s)
		}
		if len(taken) == plan.Limit && plan.These == nil {
			last = s.place()
			break
		}
	}
	if plan.These != nil {
		return taken, c.cost(Cursor{}, Cursor{}) // they are looked up
	}
	return taken, c.cost(plan.From, last)
}

// scannedAll notes a full scan that claims waited for. bound: it must not come too early.
func (c *claims) scannedAll(began time.Time, bound bool) {
	c.full.scan(c.T, began, c.now, bound)
	c.slow = c.now.Sub(began) > 20*time.Millisecond
}

// waits checks how long a step has waited.
func (c *claims) waits(s *queueStep) {
	if s.held {
		return
	}
	if waited, most := c.now.Sub(s.ready()), c.patience(); waited > most {
		c.Fatalf("step %d, due at %v and visible at %v, has waited for %v, want at most %v", s.id, s.due.Sub(start), s.visible.Sub(start), waited, most)
	}
}

// start runs a claimed step, after which it is over, or is taken back.
func (c *claims) start(s *queueStep) {
	if c.snapshot.contains(c.now) {
		c.dead = append(c.dead, s.place())
	}
	s.runs++
	died := s.runs < 4 && c.happens(c.again)
	c.at(c.now.Add(c.upTo(c.handler)), func() {
		c.free++
		if !died {
			c.left--
			return
		}
		s.held, s.visible = false, c.now
		if c.happens(c.handed) {
			c.swept = append(c.swept, s.id)
			c.announce()
		}
	})
}

// patience is how long a step may have to wait: for a full scan under way that does not see it, thirty times as long for the next
// one, for scans from a little before the cursor, and for the claims that start and hear of them, which come with the polls.
// Where there are fewer places than steps it waits for all of them too, and each scan is of use for as many as there are places.
func (c *claims) patience() time.Duration {
	bound := 34*c.longest + 3*c.poll
	if c.places >= c.claimWorld.steps {
		return bound
	}
	return time.Duration(4*c.claimWorld.steps/c.places+2) * (bound + c.handler + recentEvery)
}

// rest is claim.Loop.rest.
func (c *claims) rest(last Claim) {
	pause := PlanRest(c.seen, last, c.now, c.jitter(c.poll/2))
	for again := false; ; again = true {
		if c.await(c.now.Add(pause), func() bool { return c.woken || c.left == 0 }) {
			c.woken = false
			return
		}
		if !PlanPoll(c.seen, last, c.now) {
			return
		}
		began := c.now
		due := c.nextDue()
		c.scannedAll(began, !c.seen.Cursor.IsZero() || again && c.slow)
		c.seen.Polled(began, c.now)
		if due <= 0 {
			return
		}
		pause = PlanNextPoll(c.seen, c.now, due, c.poll*2/3+c.upTo(c.poll/3))
	}
}

// nextDue looks when the next step is due.
func (c *claims) nextDue() (due time.Duration) {
	looked := c.now
	due, to := c.poll, Cursor{At: looked.Add(time.Hour)}
	for _, s := range c.steps {
		if !s.held && !s.visible.After(looked) {
			due, to = s.due.Sub(looked), s.place()
			break
		}
	}
	c.spend(c.cost(Cursor{}, to))
	return due
}
