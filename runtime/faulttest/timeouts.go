package faulttest

import (
	"errors"
	"time"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/idemimpl"
)

// timeouts are attempts that take too long.
func timeouts() []*fault {
	want := want{attempt: exactly(2), runs: exactly(2)}
	return []*fault{
		{
			name: "timeout after the write", hurried: true,
			around: first(func(x *execution) (any, error) {
				_, _ = x.write()
				<-x.ctx.Done()
				x.fire()
				return nil, x.ctx.Err()
			}),
			play: func(tr *trial) { tr.timeOut(runtime.EventRetried); tr.wait() },
			want: want,
		}, {
			name: "timeout before the write, which is tried all the same", hurried: true,
			around: first(func(x *execution) (any, error) {
				<-x.ctx.Done()
				x.fire()
				defer x.isOver()
				return x.handler()
			}),
			play: func(tr *trial) { tr.timeOut(runtime.EventRetried); tr.wait() },
			want: want,
		},
		outliving(want),
	}
}

// timeOut enqueues the step, has it time out in a first worker, and starts a second one with ordinary times.
func (tr *trial) timeOut(then runtime.EventKind) {
	if !tr.enqueued() {
		return
	}
	grace := max(500*time.Millisecond, 3*tr.took)
	if then == runtime.EventStuck { // the handler is held back until then
		grace = 30 * time.Millisecond
	}
	after := 150 * time.Millisecond
	if len(tr.calls) > 0 { // these must not be cut short on a busy machine
		after = max(after, 2*tr.took)
	}
	slow := tr.work(timingOut(after, grace))
	if !tr.await(1, then) {
		tr.problem("the attempt did not time out")
		return
	}
	tr.until(func() bool { return tr.look().State != runtime.StateRunning })
	slow.stop()
	tr.due()
	tr.work(polling) // a call that was cut short all the same is waited for
}

// outliving is a handler that goes on when its step has long been completed by somebody else.
func outliving(w want) *fault {
	f := &fault{name: "timeout, and the handler writes long after it", outlives: true, hurried: true, want: w}
	f.around = first(func(x *execution) (any, error) {
		<-x.ctx.Done()
		select {
		case <-x.gate:
		case <-time.After(x.patience()):
		}
		defer close(x.gone)
		x.fire()
		defer x.isOver()
		return x.handler()
	})
	f.play = func(tr *trial) {
		tr.timeOut(runtime.EventStuck)
		tr.wait()
		close(tr.gate)
		tr.leave("its context had ended before it began")
	}
	return f
}

// leave waits for a handler whose context has ended to return.
func (tr *trial) leave(why string) {
	select {
	case <-tr.gone:
	case <-time.After(3 * time.Second):
		tr.problem("the handler does not return although %s: it does not look at its context", why)
	}
}

// isOver makes sure that nothing is taken any more from an execution whose attempt has ended: it would be lost, and the
// handler be told that all is well.
func (x *execution) isOver() {
	if err := new(idemimpl.Effect).Record(x.ctx); !errors.Is(err, runtime.ErrAttemptEnded) {
		x.problem("a row could be recorded after its attempt had ended: %v", err)
	}
	// Not with the attempt's own context, which keeps a statement from being sent.
	if _, err := x.ctx.CompletionTx().Exec(x.trial.ctx, `SELECT 1`); !errors.Is(err, runtime.ErrAttemptEnded) {
		x.problem("a statement was run after its attempt had ended: %v", err)
	}
}
