package soak

import (
	"math/rand/v2"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/proxy"
)

// The faults.
const (
	FaultKill      fault.Kind = "kill"      // SIGKILL of a worker; another one takes its place at once
	FaultStop      fault.Kind = "stop"      // SIGSTOP of a worker for one and a half leases, then SIGCONT
	FaultCut       fault.Kind = "cut"       // one direction of a worker's or the feeder's network holds back, then all its connections break
	FaultTerminate fault.Kind = "terminate" // pg_terminate_backend of all sessions of a worker or the feeder
	FaultRestart   fault.Kind = "restart"   // Postgres stops at once, and starts again
	FaultReadOnly  fault.Kind = "read-only" // the server takes no writes for a while
	FaultSnapshot  fault.Kind = "snapshot"  // an idle transaction keeps an old snapshot
)

// mix has the kinds of faults. A cut and a termination may befall the feeder, whose number follows that of the last worker;
// SIGKILL and SIGSTOP pass on to the next worker when this one holds no step.
var mix = fault.Mix{
	{Kind: FaultKill, Of: 40}, {Kind: FaultStop, Of: 15}, {Kind: FaultCut, Of: 20}, {Kind: FaultTerminate, Of: 10},
	{Kind: FaultRestart, Of: 5, Server: true}, {Kind: FaultReadOnly, Of: 5, Server: true}, {Kind: FaultSnapshot, Of: 5, Server: true},
}

const (
	gapMin = 500 * time.Millisecond
	gapMax = 3 * time.Second
)

// schedule plans the faults of a soak: the same for the same arguments.
func schedule(seed uint64, duration time.Duration, workers int) []fault.Fault {
	random := rand.New(rand.NewPCG(seed, 2))
	return mix.Plan(random, duration, gapMin, gapMax, func(f *fault.Fault) { detail(f, random, workers) })
}

// detail decides whom it hits and how long it lasts.
func detail(f *fault.Fault, random *rand.Rand, workers int) {
	lasts := func(lo, hi time.Duration) { f.For = fault.Between(random, lo, hi).Milliseconds() }
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
