package runtime

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// frontier is how far the claims of a queue have come in the order of its steps.
//
// While somebody holds an old snapshot open, a backup or a report, nothing that was claimed since can be cleaned away, and
// a claim from the beginning passes over all of it again: without a bound the rate falls the longer that lasts. So a busy
// worker mostly claims from where it has come to. What is due before that, because its transaction committed late or its
// lease ran out, is found by claims from the beginning, which take a thirtieth of the time at most. Usually they cost
// nothing, and come every few milliseconds; on an idle system every claim is one. Where one takes longer than claims should
// be kept waiting, [stragglers] are looked for beside them instead.
type frontier struct {
	at    time.Time // of the first step of the last claim; zero: there was none
	id    int64
	looks       // from the beginning
	near  looks // from a little before the frontier
	slow  bool  // the last look from the beginning took longer than claims should wait
	wait  time.Duration
}

// claimWait is how long a look from the beginning may keep claims waiting.
const claimWait = 20 * time.Millisecond

// beginning is before every time.
var beginning = pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}

// looks are what is done from the beginning now and then: claims of a queue, and sweeps. They take a thirtieth of the time at
// most.
type looks struct {
	next time.Time     // when the next one is due, by this process's monotonic clock
	cost time.Duration // of the last one, as far as it is believed
}

// wholeShare is how many times as long as a look took the next one is not due. Its cost goes on when it is over: where it
// reads many pages, those that the others need have left Postgres's buffers.
const wholeShare = 29

func (l *looks) due(now time.Time) bool { return !now.Before(l.next) }

// A look that takes more than lookGrowth times as long as the one before, and longer than doubtful, may have met a machine or
// a database that stood still. It is not believed at once: what waits for the next one would wait thirty times as long as that.
// The first look is: a worker that starts where looks take long must not begin with many of them.
const (
	doubtful   = 10 * time.Millisecond
	lookGrowth = 4
)

// took notes how long a look was.
func (l *looks) took(began, ended time.Time) {
	cost := ended.Sub(began)
	if l.cost > 0 {
		cost = min(cost, max(lookGrowth*l.cost, doubtful))
	}
	l.cost = cost
	l.next = ended.Add(wholeShare * l.cost)
}

// whole tells whether the next claim begins at the beginning.
func (f *frontier) whole(now time.Time) bool { return f.at.IsZero() || !f.slow && f.due(now) }

// took notes how long a look from the beginning was.
func (f *frontier) took(began, ended time.Time) {
	f.looks.took(began, ended)
	f.slow = ended.Sub(began) > f.wait
}

// tookNear notes how long a look from a little before the frontier was.
func (f *frontier) tookNear(began, ended time.Time) {
	f.near.took(began, ended)
	if soonest := began.Add(nearEvery); f.near.due(soonest) {
		f.near.next = soonest
	}
}

// bound is where a claim begins.
func (f *frontier) bound(whole bool) (at pgtype.Timestamptz, id int64) {
	if whole || f.at.IsZero() {
		return beginning, 0
	}
	return pgtype.Timestamptz{Time: f.at, Valid: true}, f.id
}

// advance notes what a claim has taken: the place of its first step, if it took any. The frontier never goes back: what is
// before it was taken, or is for looks from the beginning to find.
func (f *frontier) advance(at time.Time, id int64) {
	if at.After(f.at) || at.Equal(f.at) && id > f.id {
		f.at, f.id = at, id
	}
}
