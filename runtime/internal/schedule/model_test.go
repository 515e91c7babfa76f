package schedule

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestMain lets rapid try more worlds than it would, since each is quick. Its flags override this.
func TestMain(m *testing.M) {
	flag.Parse()
	checks := "500"
	if testing.Short() {
		checks = "100"
	}
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.nofailfile": "true"} {
		if f := flag.Lookup(name); f.Value.String() == f.DefValue {
			_ = f.Value.Set(value)
		}
	}
	m.Run()
}

// simulation is a virtual clock with what is to happen, and the chances of a world. A world is a few numbers that rapid draws,
// and prints with its seed where a property does not hold; all that is to happen follows from them.
type simulation struct {
	*rapid.T
	now   time.Time
	later []event
	rand  *rand.Rand
}

type event struct {
	at time.Time
	do func()
}

func newSimulation(t *rapid.T) simulation {
	return simulation{T: t, now: start, rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "chances"), 0))}
}

// of draws one of some values, the first of which is the plainest.
func of[T any](t *rapid.T, name string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, name)
}

// share draws how much of something is the case.
func share(t *rapid.T, name string) float64 { return of(t, name, 0, 0.03, 0.3, 1) }

// happens reports whether something of that probability does.
func (s *simulation) happens(p float64) bool { return s.rand.Float64() < p }

// upTo returns a random time.
func (s *simulation) upTo(d time.Duration) time.Duration {
	return time.Duration(s.rand.Int64N(int64(d) + 1))
}

// jitter is as package pace has it.
func (s *simulation) jitter(d time.Duration) time.Duration { return d - d/2 + s.upTo(d/2) }

// at lets something happen at a time, or now if that is over.
func (s *simulation) at(t time.Time, do func()) {
	i, _ := slices.BinarySearchFunc(s.later, t, func(e event, t time.Time) int {
		if e.at.After(t) {
			return 1
		}
		return -1 // behind those of the same time
	})
	s.later = slices.Insert(s.later, i, event{t, do})
}

// await lets time pass until the end, or until something is so; it reports whether that is why.
func (s *simulation) await(end time.Time, so func() bool) bool {
	for !so() {
		if len(s.later) == 0 || s.later[0].at.After(end) {
			s.now = latest(s.now, end)
			return false
		}
		next := s.later[0]
		s.later = s.later[1:]
		s.now = latest(s.now, next.at)
		next.do()
	}
	return true
}

// spend lets time pass.
func (s *simulation) spend(d time.Duration) { s.await(s.now.Add(d), never) }

func never() bool { return false }

func latest(first time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if t.After(first) {
			first = t
		}
	}
	return first
}

// span is a stretch of time.
type span struct{ began, ended time.Time }

func (s span) contains(t time.Time) bool { return !t.Before(s.began) && t.Before(s.ended) }

// shares checks that full scans take at most a thirtieth of the time. They are told of in the order in which they begin. One is
// believed for sure once those before it have taken about as long: more than four times as long counts as ten milliseconds
// first, and four times as long each time. bound: this one must not come earlier.
type shares struct {
	last    span
	steady  int // how many scans ago one took much longer than the one before it; the first one ever is believed
	longest time.Duration
	n       int
}

// steadyAfter is after how many scans a length of up to 40 seconds is believed, from ten milliseconds on.
const steadyAfter = 6

func (s *shares) scan(t *rapid.T, began, ended time.Time, bound bool) {
	was, is := s.last.ended.Sub(s.last.began), ended.Sub(began)
	if s.n > 0 {
		if began.Before(s.last.ended) {
			t.Fatalf("a full scan began at %v, and the one before it ended at %v", began, s.last.ended)
		}
		if pause := began.Sub(s.last.ended); bound && s.steady >= steadyAfter && pause < 29*was {
			t.Fatalf("full scans take more than a thirtieth of the time: one of %v is followed by another one in %v", was, pause)
		}
	}
	switch {
	case s.n == 0:
		s.steady = steadyAfter
	case is > max(4*was, 10*time.Millisecond):
		s.steady = 0
	default:
		s.steady++
	}
	s.last = span{began, ended}
	s.longest = max(s.longest, is)
	s.n++
}
