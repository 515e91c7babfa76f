package relay

import (
	"math/rand/v2"
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/proxy"
)

// The faults.
const (
	FaultKill      fault.Kind = "kill"        // SIGKILL of a relay; another one takes its place at once
	FaultWorker    fault.Kind = "kill-worker" // the same to a worker, which queues commands
	FaultStop      fault.Kind = "stop"        // SIGSTOP of a relay for one and a half leases, then SIGCONT
	FaultCut       fault.Kind = "cut"         // one direction of a relay's network to Postgres holds back, then its connections break
	FaultTerminate fault.Kind = "terminate"   // pg_terminate_backend of all sessions of a relay
	FaultRestart   fault.Kind = "restart"     // Postgres stops at once, and starts again
)

// mix has the kinds of faults. One of a relay passes on to the next one when this one has nothing in hand.
var mix = fault.Mix{
	{Kind: FaultKill, Of: 50}, {Kind: FaultWorker, Of: 8}, {Kind: FaultStop, Of: 12}, {Kind: FaultCut, Of: 15},
	{Kind: FaultTerminate, Of: 10}, {Kind: FaultRestart, Of: 5, Server: true},
}

const (
	gapMin = 300 * time.Millisecond
	gapMax = 1700 * time.Millisecond
)

// schedule plans the faults of a soak: the same for the same arguments.
func schedule(o Options) []fault.Fault {
	random := rand.New(rand.NewPCG(o.Seed, 4))
	return mix.Plan(random, o.Duration, gapMin, gapMax, func(f *fault.Fault) { detail(f, random, o) })
}

// detail decides whom it hits and how long it lasts.
func detail(f *fault.Fault, random *rand.Rand, o Options) {
	lasts := func(lo, hi time.Duration) { f.For = fault.Between(random, lo, hi).Milliseconds() }
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
