package relay

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/idem-go/idem/cmd/idem/soak/proxy"
)

// FaultKind is what is done to relays and workers, or to the database under them.
type FaultKind string

// The faults.
const (
	FaultKill      FaultKind = "kill"        // SIGKILL of a relay; another one takes its place at once
	FaultWorker    FaultKind = "kill-worker" // the same to a worker, which queues commands
	FaultStop      FaultKind = "stop"        // SIGSTOP of a relay for one and a half leases, then SIGCONT
	FaultCut       FaultKind = "cut"         // one direction of a relay's network to Postgres holds back, then its connections break
	FaultTerminate FaultKind = "terminate"   // pg_terminate_backend of all sessions of a relay
	FaultRestart   FaultKind = "restart"     // Postgres stops at once, and starts again
)

// mix says how many of a hundred faults are of each kind.
var mix = []struct {
	kind  FaultKind
	share int
}{
	{FaultKill, 50}, {FaultWorker, 8}, {FaultStop, 12}, {FaultCut, 15}, {FaultTerminate, 10}, {FaultRestart, 5},
}

// Fault is one planned fault. Times are in milliseconds, counted from the start of the soak.
type Fault struct {
	At   int64     `json:"at_ms"`
	Kind FaultKind `json:"fault"`
	// Victim is the number of the relay, or of the worker. A fault of a relay passes on to the next one when this one has
	// nothing in hand.
	Victim int       `json:"victim"`
	For    int64     `json:"for_ms,omitempty"`
	Way    proxy.Way `json:"way,omitempty"`
}

func (f Fault) lasts() time.Duration { return time.Duration(f.For) * time.Millisecond }

const (
	gapMin = 300 * time.Millisecond
	gapMax = 1700 * time.Millisecond
)

// schedule plans the faults of a soak: the same for the same arguments. It begins with one of each kind.
func schedule(o Options) []Fault {
	random := rand.New(rand.NewPCG(o.Seed, 4))
	faults := []Fault{}
	first := random.Perm(len(mix))
	for at := between(random, gapMin, gapMax); at < o.Duration; at += between(random, gapMin, gapMax) {
		f := Fault{At: at.Milliseconds()}
		if i := len(faults); i < len(first) {
			f.Kind = mix[first[i]].kind
		} else {
			f.Kind = pick(random)
		}
		f.detail(random, o)
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
func (f *Fault) detail(random *rand.Rand, o Options) {
	lasts := func(lo, hi time.Duration) { f.For = between(random, lo, hi).Milliseconds() }
	f.Victim = random.IntN(o.Relays)
	switch f.Kind {
	case FaultWorker:
		f.Victim = random.IntN(o.Workers)
	case FaultStop:
		f.For = (relayLease * 3 / 2).Milliseconds()
	case FaultCut:
		f.Way = []proxy.Way{proxy.Up, proxy.Down}[random.IntN(2)]
		lasts(200*time.Millisecond, 5*time.Second)
	case FaultRestart:
		f.Victim = 0
		lasts(0, 500*time.Millisecond)
	}
}

func between(random *rand.Rand, lo, hi time.Duration) time.Duration {
	return lo + time.Duration(random.Int64N(int64(hi-lo)))
}

// String describes the fault in a line.
func (f Fault) String() string {
	text := fmt.Sprintf("%6.1f s  %-11s", float64(f.At)/1000, f.Kind)
	if f.Kind != FaultRestart {
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

func countFaults(faults []Fault) map[FaultKind]int {
	n := map[FaultKind]int{}
	for _, f := range faults {
		n[f.Kind]++
	}
	return n
}
