package soak

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/idem-go/idem/cmd/idem/soak/proxy"
)

// FaultKind is what is done to the workers, or to the database under them.
type FaultKind string

// The faults.
const (
	FaultKill      FaultKind = "kill"      // SIGKILL of a worker; another one takes its place at once
	FaultStop      FaultKind = "stop"      // SIGSTOP of a worker for one and a half leases, then SIGCONT
	FaultCut       FaultKind = "cut"       // one direction of a worker's or the feeder's network holds back, then all its connections break
	FaultTerminate FaultKind = "terminate" // pg_terminate_backend of all sessions of a worker or the feeder
	FaultRestart   FaultKind = "restart"   // Postgres stops at once, and starts again
	FaultReadOnly  FaultKind = "read-only" // the server takes no writes for a while
	FaultSnapshot  FaultKind = "snapshot"  // an idle transaction keeps an old snapshot
)

// mix says how many of a hundred faults are of each kind.
var mix = []struct {
	kind  FaultKind
	share int
}{
	{FaultKill, 40}, {FaultStop, 15}, {FaultCut, 20}, {FaultTerminate, 10}, {FaultRestart, 5}, {FaultReadOnly, 5}, {FaultSnapshot, 5},
}

// Fault is one planned fault. Times are in milliseconds, counted from the start of the soak.
type Fault struct {
	At   int64     `json:"at_ms"`
	Kind FaultKind `json:"fault"`
	// Victim is the number of the worker; the one after the last worker is the feeder. SIGKILL and SIGSTOP pass on to
	// the next worker when this one holds no step.
	Victim int       `json:"victim"`
	For    int64     `json:"for_ms,omitempty"`
	Way    proxy.Way `json:"way,omitempty"`
}

func (f Fault) lasts() time.Duration { return time.Duration(f.For) * time.Millisecond }

const (
	gapMin = 500 * time.Millisecond
	gapMax = 3 * time.Second
)

// schedule plans the faults of a soak: the same for the same arguments. It begins with one of each kind.
func schedule(seed uint64, duration time.Duration, workers int) []Fault {
	random := rand.New(rand.NewPCG(seed, 2))
	faults := []Fault{}
	first := random.Perm(len(mix))
	for at := between(random, gapMin, gapMax); at < duration; at += between(random, gapMin, gapMax) {
		f := Fault{At: at.Milliseconds()}
		if i := len(faults); i < len(first) {
			f.Kind = mix[first[i]].kind
		} else {
			f.Kind = pick(random)
		}
		f.detail(random, workers)
		faults = append(faults, f)
	}
	return faults
}

func pick(random *rand.Rand) FaultKind {
	n := random.IntN(100)
	for _, m := range mix {
		if n -= m.share; n < 0 {
			return m.kind
		}
	}
	panic("the shares do not add up to 100")
}

// detail decides whom it hits and how long it lasts.
func (f *Fault) detail(random *rand.Rand, workers int) {
	lasts := func(lo, hi time.Duration) { f.For = between(random, lo, hi).Milliseconds() }
	switch f.Kind {
	case FaultKill:
		f.Victim = random.IntN(workers)
	case FaultStop:
		f.Victim = random.IntN(workers)
		f.For = (lease * 3 / 2).Milliseconds()
	case FaultCut:
		f.Victim = random.IntN(workers + 1)
		f.Way = []proxy.Way{proxy.Up, proxy.Down}[random.IntN(2)]
		lasts(200*time.Millisecond, 5*time.Second)
	case FaultTerminate:
		f.Victim = random.IntN(workers + 1)
	case FaultRestart:
		lasts(0, 500*time.Millisecond)
	case FaultReadOnly:
		lasts(300*time.Millisecond, 1500*time.Millisecond)
	case FaultSnapshot:
		lasts(2*time.Second, 10*time.Second)
	}
}

func between(random *rand.Rand, lo, hi time.Duration) time.Duration {
	return lo + time.Duration(random.Int64N(int64(hi-lo)))
}

// String describes the fault in a line.
func (f Fault) String() string {
	text := fmt.Sprintf("%6.1f s  %-9s", float64(f.At)/1000, f.Kind)
	switch f.Kind {
	case FaultKill, FaultStop, FaultCut, FaultTerminate:
		text += fmt.Sprintf("  place %d", f.Victim)
	}
	if f.Way != "" {
		text += ", " + string(f.Way)
	}
	if f.For > 0 {
		text += fmt.Sprintf("  for %.1f s", f.lasts().Seconds())
	}
	return text
}
