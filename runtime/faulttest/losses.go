package faulttest

import (
	"github.com/idem-go/idem/runtime"
)

// losses are leases that are lost while the handler runs.
func losses() []*fault {
	return []*fault{
		{
			name: "the lease runs out after the write, and another worker takes over",
			around: first(func(x *execution) (any, error) {
				out, err := x.write()
				x.loseLease()
				return out, err
			}),
			play: (*trial).playTakenOver,
			want: want{reclaims: 1, runs: exactly(2)},
		}, {
			name: "the lease runs out, and the first worker fails when another one has completed the step",
			around: first(func(x *execution) (any, error) {
				x.loseLease()
				x.completedByAnother()
				return nil, errInjected
			}),
			play: (*trial).playTakenOver,
			want: want{reclaims: 1, runs: exactly(2)},
		}, {
			name: "the lease runs out before the write, which comes when another worker has completed the step",
			around: first(func(x *execution) (any, error) {
				defer close(x.gone)
				x.loseLease()
				x.completedByAnother()
				return x.handler()
			}),
			play: func(tr *trial) { tr.playTakenOver(); tr.leave("its lease was lost") },
			want: want{reclaims: 1, runs: exactly(2)},
		}, {
			name:   "the lease runs out at every run, until the limit",
			limits: func(l *limits) { l.reclaims = new(2) },
			around: func(x *execution) (any, error) {
				out, err := x.write()
				x.loseLease()
				return out, err
			},
			play: (*trial).playSweeping,
			want: want{state: runtime.StateDiscarded, reason: runtime.ReasonReclaimLimit, reclaims: 2, runs: exactly(3)},
		}, {
			name: "an attempt fails, and the next one loses its lease",
			around: func(x *execution) (any, error) {
				if x.n > 2 {
					return x.handler()
				}
				out, err := x.write()
				if x.n == 1 {
					return nil, errInjected
				}
				x.loseLease()
				return out, err
			},
			play: (*trial).playTakenOver,
			want: want{attempt: exactly(2), reclaims: 1, runs: exactly(3)},
		}, {
			name: "cancelled after the write",
			around: first(func(x *execution) (any, error) {
				out, err := x.write()
				if n, err := x.client(x.pool).Cancel(x.trial.ctx, x.run.ID, x.run.Node); err != nil || n != 1 {
					x.problem("it cannot be cancelled: %d steps, %v", n, err)
				}
				x.fire()
				return out, err
			}),
			want: want{state: runtime.StateCancelled, reason: runtime.ReasonCancelled},
		}, {
			name: "cut off from the database after the write",
			around: first(func(x *execution) (any, error) {
				out, err := x.write()
				allow := x.proxy.Refuse()
				x.proxy.Disconnect()
				x.work(sweeping) // another one, which is not cut off
				x.loseLease()
				go func() {
					x.until(func() bool { return x.look().State.Ended() })
					allow()
				}()
				return out, err
			}),
			play: func(tr *trial) {
				if !tr.enqueued() {
					return
				}
				tr.work(through(tr.wires()))
				tr.wait()
				if !tr.await(1, runtime.EventLeaseLost) {
					tr.problem("the worker that was cut off was never told that its lease is lost")
				}
			},
			want: want{reclaims: 1, runs: exactly(2)},
		},
	}
}

// loseLease lets the lease run out, and returns when the step has been taken back.
func (x *execution) loseLease() {
	before := x.look().Reclaims // not by the events: the last one may come when the step runs again already
	x.expire()
	if !x.until(func() bool { s := x.look(); return s.Reclaims > before || s.State.Ended() }) {
		x.problem("the sweep did not take the step back")
		return
	}
	x.fire()
}

// completedByAnother returns when another worker has completed the step.
func (x *execution) completedByAnother() {
	if !x.await(1, runtime.EventCompleted) {
		x.problem("no other worker completed the step")
	}
}

// playTakenOver is playSweeping to the end of both executions: stopping the workers must not keep the one that has lost
// its lease from completing all the same.
func (tr *trial) playTakenOver() {
	tr.playSweeping()
	if !tr.await(2, runtime.EventCompleted, runtime.EventLeaseLost) {
		tr.problem("the worker that had lost its lease was never told so")
	}
}
