package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// leaseWorld is the leases that run out, their database and a worker that sweeps.
type leaseWorld struct {
	leases   int
	span     time.Duration // in which they run out
	old      float64       // ran out up to three leases before the worker started
	late     float64       // are visible later than they have run out: their transaction lasts
	locked   float64       // are locked at the time
	hiddenBy time.Duration // for how long both, at most

	lease, every time.Duration
	poll         time.Duration // 0: the worker is too busy to poll
	silent       float64       // of the time it is
	failing      float64       // of the statements, during the first minute

	statement time.Duration // what each costs
	dirt      int           // entries of leases of long ago, which nobody has vacuumed
	dead      time.Duration // what it costs to pass over one
	snapshot  span          // while it is held they stay; else who passes over them marks them, and the next one need not
	skew      time.Duration // of the database's clock
	stalls    float64       // of the statements last long
	stall     time.Duration
}

func drawLeaseWorld(t *rapid.T) leaseWorld {
	const us, ms, sec = time.Microsecond, time.Millisecond, time.Second
	w := leaseWorld{
		leases: rapid.IntRange(1, 60).Draw(t, "leases"), span: of(t, "span", 0, 10*sec, 5*time.Minute),
		old: share(t, "old"), late: share(t, "late"), locked: share(t, "locked"), hiddenBy: of(t, "hidden by", sec, 10*sec, 2*time.Minute),
		lease: of(t, "lease", time.Minute, 3*sec), every: of(t, "every", 5*sec, 100*ms, 20*sec),
		poll: of(t, "poll", 0, 100*ms, 2*sec), silent: share(t, "silent"), failing: share(t, "failing") / 2,
		statement: of(t, "statement", ms, 0, 30*ms), dirt: of(t, "dirt", 0, 1000, 100_000), dead: of(t, "dead", 0, us, 100*us),
		skew: of(t, "skew", 0, time.Hour, -time.Hour), stalls: of(t, "stalls", 0, 0.01, 0.1), stall: of(t, "stall", 50*ms, sec),
	}
	w.snapshot.began = in(of(t, "snapshot from", 0, 20*sec))
	w.snapshot.ended = w.snapshot.began.Add(of(t, "snapshot held", 0, time.Minute, 20*time.Minute))
	return w
}

// outLease is a lease of the model that has run out, or will.
type outLease struct {
	expiry         time.Time // by this process's clock
	visible, freed time.Time
	taken          bool
}

// leases drives the plans as package maintenance does, and polls as package claim does.
type leases struct {
	simulation
	leaseWorld
	all      []*outLease
	left     int
	passed   []time.Time // when leases ran out that were taken back
	seen     Leases
	full     shares
	woken    bool
	failed   time.Time // when a statement did last
	longest  time.Duration
	whole    time.Duration // what a scan of all leases takes at most
	budget   time.Duration // what the next full scan may take
	lastFull time.Time     // when all leases were looked at
	lastPoll time.Time     // when one last found nothing, and none has found something since
}

// Every lease that has run out is found: at once where that is plain to see, and by a full scan where its transaction was late,
// its row locked, or nobody there.
func TestSweepsFollowTheirModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := &leases{simulation: newSimulation(rt), leaseWorld: drawLeaseWorld(rt)}
		l.seen, l.budget, l.left = NewLeases(l.every), 100*time.Millisecond, l.leaseWorld.leases
		l.whole = l.statement + time.Duration(l.dirt+l.left)*l.dead + l.stall
		for range l.left {
			l.all = append(l.all, l.runOut())
		}
		if l.poll > 0 {
			l.at(l.now, l.polls)
		}
		l.run()
	})
}

func (l *leases) runOut() *outLease {
	out := &outLease{expiry: in(l.upTo(l.span))}
	if l.happens(l.old) {
		out.expiry = start.Add(-l.upTo(3 * l.lease))
	}
	out.visible, out.freed = out.expiry, out.expiry
	if l.happens(l.late) {
		out.visible = out.expiry.Add(l.upTo(l.hiddenBy))
	}
	if l.happens(l.locked) {
		out.freed = out.expiry.Add(l.upTo(l.hiddenBy))
	}
	return out
}

// run is maintenance.Sweeper.Run, until all leases are taken back.
func (l *leases) run() {
	for failures := 0; l.left > 0; {
		for _, out := range l.all {
			l.waits(out)
		}
		pause := l.jitter(l.every)
		if failures > 0 {
			pause = min(l.every, l.jitter(time.Second))
		}
		if l.await(l.now.Add(pause), func() bool { return l.woken }) {
			l.woken, l.lastPoll = false, time.Time{}
			l.seen.Uncover()
		}
		if ok := l.sweep(l.plan(failures > 0)); ok {
			failures = 0
		} else {
			failures++
		}
	}
}

// plan plans the next sweep, and checks the plan.
func (l *leases) plan(asked bool) Sweep {
	plan := PlanSweep(l.seen, l.now, l.every, asked)
	polled, fully := l.now.Sub(l.lastPoll) < l.every, l.now.Sub(l.lastFull) < 6*l.every
	switch {
	case plan.Skip && (asked || l.lastPoll.IsZero() || l.lastFull.IsZero() || !polled || !fully):
		l.Fatalf("a sweep is left out; asked %v, polls have looked %v, and at all leases %v", asked, polled, fully)
	case plan.Full && plan.Budget != l.budget:
		l.Fatalf("a full scan may take %v, want %v", plan.Budget, l.budget)
	case !plan.Skip && !l.seen.Watermark.IsZero() && !plan.From.Equal(l.seen.Watermark.Add(-l.seen.Keep)):
		l.Fatalf("a sweep begins at %v, with the watermark at %v", plan.From, l.seen.Watermark)
	}
	return plan
}

// note checks that the watermark never goes back.
func (l *leases) note(seen func(*Leases)) {
	before := l.seen.Watermark
	if seen(&l.seen); before.After(l.seen.Watermark) {
		l.Fatalf("the watermark went from %v back to %v", before, l.seen.Watermark)
	}
}

// sweep is maintenance.Sweeper.SweepDue; ok reports whether the database did what it was asked.
func (l *leases) sweep(plan Sweep) (ok bool) {
	if plan.Skip {
		return true
	}
	if plan.Full {
		if done, ok := l.sweepAll(plan.Budget); done || !ok {
			return ok
		}
	}
	first, at, cost := l.first(plan.From)
	l.spend(cost)
	return l.sweepFound(first, at)
}

func (l *leases) sweepAll(budget time.Duration) (done, ok bool) {
	began := l.now
	first, at, cost := l.first(start.Add(-1000 * time.Hour))
	l.clean(min(cost, budget))
	if cost > budget {
		l.spend(budget)
		l.full.scan(l.T, began, l.now, true)
		l.budget = min(2*l.budget, l.lease)
		l.note(func(s *Leases) { s.CutShort(began, l.now, l.lease) })
		return false, true
	}
	l.spend(cost)
	if ok = l.sweepFound(first, at); ok {
		l.full.scan(l.T, began, l.now, true)
		l.note(func(s *Leases) { s.TookFull(began, l.now) })
		l.lastFull = l.now
	}
	return true, ok
}

// first is maintenance.Sweeper.firstExpired: the first lease from a time on that has run out, locked or not, when it looked by
// the database's clock, and what that costs.
func (l *leases) first(from time.Time) (first *outLease, at time.Time, cost time.Duration) {
	at = l.now.Add(l.skew)
	if from.IsZero() {
		from = at.Add(-l.lease)
	}
	from = from.Add(-l.skew)
	for _, out := range l.all {
		if !out.taken && !out.visible.After(l.now) && out.expiry.Before(l.now) && !out.expiry.Before(from) &&
			(first == nil || out.expiry.Before(first.expiry)) {
			first = out
		}
	}
	return first, at, l.cost(from, first)
}

// cost is what a look from a time on takes that ends at a lease.
func (l *leases) cost(from time.Time, end *outLease) time.Duration {
	cost := l.statement
	if from.Before(start.Add(-100 * time.Hour)) {
		cost += time.Duration(l.dirt) * l.dead
	}
	for _, expiry := range l.passed {
		if !expiry.Before(from) && (end == nil || expiry.Before(end.expiry)) {
			cost += l.dead
		}
	}
	if l.happens(l.stalls) {
		cost += l.stall
	}
	l.longest = max(l.longest, cost)
	return cost
}

// clean marks the entries as dead that a full scan of that length has passed over, unless somebody may still see them.
func (l *leases) clean(took time.Duration) {
	if l.dead == 0 || l.snapshot.contains(l.now) {
		return
	}
	n := int((took - l.statement) / l.dead)
	l.dirt -= min(max(n, 0), l.dirt)
}

func (l *leases) sweepFound(first *outLease, at time.Time) (ok bool) {
	if l.fails() {
		l.failed = l.now
		return false
	}
	if first != nil {
		l.takeBack(first.expiry)
	}
	l.note(func(s *Leases) { s.Looked(at) })
	return true
}

func (l *leases) fails() bool { return l.now.Before(in(time.Minute)) && l.happens(l.failing) }

// takeBack takes back what has run out from a time on, and is not locked.
func (l *leases) takeBack(from time.Time) {
	for _, out := range l.all {
		if out.taken || out.expiry.Before(from) || !out.expiry.Before(l.now) || out.visible.After(l.now) || out.freed.After(l.now) {
			continue
		}
		l.waits(out)
		out.taken = true
		l.left--
		l.passed = append(l.passed, out.expiry)
	}
}

// waits checks how long a lease has been out.
func (l *leases) waits(out *outLease) {
	if out.taken {
		return
	}
	if waited, most := l.waited(out), l.patience(out); waited > most {
		l.Fatalf("a lease that ran out at %v, visible at %v and free at %v, is out for %v, want at most %v",
			out.expiry.Sub(start), out.visible.Sub(start), out.freed.Sub(start), waited, most)
	}
}

// waited is for how long a lease could have been taken back, the database failing no more.
func (l *leases) waited(out *outLease) time.Duration {
	ready := latest(start, out.visible, out.freed, l.failed)
	if l.whole > l.lease && l.hidden(out) {
		ready = latest(ready, l.snapshot.ended) // until then no scan of all leases ends
	}
	return l.now.Sub(ready)
}

// hidden reports whether scans from the watermark do not find a lease, which was not to be had for longer than they look back,
// or ran out when nobody looked.
func (l *leases) hidden(out *outLease) bool {
	return out.expiry.Before(start) || latest(out.visible, out.freed).Sub(out.expiry) > l.seen.Keep
}

// patience is how long a lease may stay out: until the next sweep, which polls can put off by as much again; if it is hidden,
// until the next full scan that is not cut short, before which there may be some that are, of half of its length and less.
func (l *leases) patience(out *outLease) time.Duration {
	bound := 3*l.every + 4*l.longest
	if l.hidden(out) {
		bound += 100*max(l.whole, l.longest) + 6*l.every
	}
	return bound
}

// polls lets polls look, each some time after the other.
func (l *leases) polls() {
	first, at, cost := l.first(l.seen.From())
	l.at(l.now.Add(cost), func() {
		switch {
		case l.fails():
		case first != nil:
			l.woken = true
		default:
			l.lastPoll = l.now
			l.note(func(s *Leases) { s.Passed(at, l.now) })
		}
		pause := l.jitter(l.poll)
		if l.happens(l.silent) {
			pause += l.upTo(time.Minute)
		}
		l.at(l.now.Add(pause), l.polls)
	})
}
