package runtime

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/idem-go/idem/runtime/internal/commit"
	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/step"
)

// executor runs the handlers of a worker's held steps, and passes the steps on when the handlers are back.
type executor struct {
	host    *step.Host
	held    *lease.Keeper
	commits *commit.Committer

	spare chan *lease.Held // to goroutines that have run a step
	idle  atomic.Int32     // how many of them wait for the next one
}

func newExecutor(host *step.Host, held *lease.Keeper, commits *commit.Committer) *executor {
	x := &executor{host: host, held: held, commits: commits, spare: make(chan *lease.Held)}
	held.Driver = x
	return x
}

// spareRunners is how many goroutines without a step are kept.
const spareRunners = 256

// start runs a held step, by a goroutine that has run others if one is free.
func (x *executor) start(s *lease.Held) {
	select {
	case x.spare <- s:
	default:
		go x.runner(s)
	}
}

// runner executes one step after the other: a goroutine that has run a handler has grown the stack that the next one
// needs. A handler that ends its goroutine ends no more than that.
func (x *executor) runner(s *lease.Held) {
	for {
		x.execute(s)
		if x.idle.Add(1) > spareRunners {
			x.idle.Add(-1)
			return
		}
		select {
		case s = <-x.spare:
			x.idle.Add(-1)
		case <-x.host.Lasting.Done():
			return
		}
	}
}

// execute runs a held step to its end: completed, failed, handed back or lost. The same attempt is run
// again after a serialization failure. What is not the handler's run is in functions of their own for the sake of their
// frames, which would otherwise lie on the stack of each handler that runs, and there may be many.
func (x *executor) execute(s *lease.Held) {
	defer s.Leave()
	x.begin(s)
	for {
		ex := x.enter(s)
		if ex == nil || !ex.Run(s) {
			return
		}
		x.rest(s)
	}
}

// begin notes that a handler begins.
//
//go:noinline
func (x *executor) begin(s *lease.Held) {
	s.Started = time.Now()
	x.host.Observe(s.Event(lifecycle.EventStarted))
}

// enter begins the next execution of a step; nil if it must not run any more.
//
//go:noinline
func (x *executor) enter(s *lease.Held) *step.Execution {
	ex := step.New(x.host, &s.Step)
	if cause := s.Enter(ex); cause != nil {
		ex.End(cause)
		x.Returned(s, ex, step.Return{Err: cause, Cause: cause})
		return nil
	}
	return ex
}

// rest waits a moment before the same attempt is run again.
//
//go:noinline
func (x *executor) rest(s *lease.Held) {
	s.Reload = func(ctx context.Context) ([]byte, error) { return x.held.Reload(ctx, s) }
	if !pace.Pause(x.host.Steps, pace.Jitter(pace.Backoff(5*time.Millisecond, s.Reruns, 200*time.Millisecond))) {
		s.End(ErrShutdown)
	}
}

// Returned implements [lease.Driver]: it decides what a handler's return means.
func (x *executor) Returned(s *lease.Held, ex *step.Execution, r step.Return) (again bool) {
	if !s.SettleOnce() { // it came back too late
		ex.Release()
		if s.WasStuck() {
			x.host.Observe(s.Event(lifecycle.EventUnstuck))
		}
		return false
	}
	switch o := ex.Conclude(r); {
	case o.Kind != step.Completed:
		return x.commits.Conclude(s, o)
	case ex.Direct():
		return x.commits.Directly(s)
	}
	x.commits.Hand(s)
	return false
}

// Overran implements [lease.Driver]: it gives up a handler that runs on after its timeout. Its step is settled without it, its
// place stays taken until it returns: what it does with our resources nobody knows.
func (x *executor) Overran(s *lease.Held) {
	if !s.SettleOnce() {
		return
	}
	s.Stuck()
	x.host.Observe(s.Event(lifecycle.EventStuck))
	x.host.Log.Error("idem: a handler runs on after its timeout; its step is given back, its place stays taken until it returns",
		"run_id", s.RunID, "node", s.Node, "attempt", s.Attempt)
	x.held.Settle(s, s.Failed(lifecycle.ReasonTimeout, failure.ErrAttemptTimeout))
}
