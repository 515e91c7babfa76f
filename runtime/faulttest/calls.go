package faulttest

import (
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/double"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// callFaults befall calls of providers: of each provider the first call, and the first that is taken back.
func (s *suite) callFaults(short bool) (list []*fault) {
	for _, c := range s.firstCalls() {
		c.Item = "" // the first one is meant, whatever it is about
		at := &victim{c, faultName(describeCall(c)), s.resends(c)}
		if !short && goruntime.GOOS != "windows" {
			list = append(list, at.kills()...)
		}
		list = append(list, at.unreached(), at.answerLost(), at.rejected(), at.inProgress(), at.otherPayload(), at.later())
		if at.resends {
			list = append(list, at.pastWindow())
		}
	}
	return list
}

func (s *suite) firstCalls() (list []double.Call) {
	for _, c := range s.calls {
		if !slices.ContainsFunc(list, func(o double.Call) bool { return o.Provider == c.Provider && o.Undo == c.Undo }) {
			list = append(list, c)
		}
	}
	return list
}

// faultName makes a name part of a subtest's.
func faultName(text string) string { return strings.NewReplacer("/", ".", "\n", " ").Replace(text) }

// victim is a call that a fault is to befall.
type victim struct {
	double.Call
	name    string
	resends bool
}

// states are those that a call goes through when its outcome is not known at first.
var unknownFirst = []provider.State{provider.StatePrepared, provider.StateUnknown, provider.StateReconciled}

// done is how a call ends when the provider has done it and the answer is not known: found by a lookup, sent again under
// the same key, or looked up by an operator.
func (v *victim) done() *dealing {
	d := &dealing{key: v.Key, requests: exactly(1), effects: 1}
	if !v.Lookup && v.resends {
		d.requests = exactly(2)
	}
	return d
}

// silent tells that there is no way to find out for the step itself.
func (v *victim) silent() bool { return !v.Lookup && !v.resends }

// undone is how a call ends that never got through to the provider after n requests: it is sent again, unless there is
// no way to know that it may be.
func (v *victim) undone(f *fault, n int) *fault {
	if v.silent() {
		f.dealing = &dealing{key: v.Key, requests: exactly(n)}
		return refused(f)
	}
	f.dealing = &dealing{key: v.Key, requests: exactly(n + 1), effects: 1}
	return f
}

// refused: the call is rejected at last, and what follows is the handler's decision.
func refused(f *fault) *fault {
	f.want.open, f.diverts, f.check = true, true, (*trial).judgeRefused
	return f
}

// finding plays a step that finds out, from a first execution on that has met with the behaviour.
func (v *victim) finding(b ledger.Behaviour) func(*trial) {
	return func(tr *trial) {
		tr.ledger.NextOf(v.Key, ledger.Before(tr.fire, b))
		if tr.enqueued() {
			tr.work(polling)
			tr.wait()
		}
	}
}

// often is how often a handler may run that waits.
var often = span{1, 1000}

// unknownOnce is a fault after which the call's outcome is not known, though it was done.
func (v *victim) unknownOnce(name string, b ledger.Behaviour) *fault {
	play := v.finding(b)
	return &fault{name: name, dealing: v.done(), want: want{runs: often}, play: func(tr *trial) {
		play(tr)
		tr.went(v.Key, tr.taken(v.Call, unknownFirst)...)
	}}
}

// taken adds that a call was taken back, where the handler does that.
func (s *suite) taken(c double.Call, states []provider.State) []provider.State {
	if s.intents[c.Key] == provider.StateCompensated {
		return append(slices.Clone(states), provider.StateCompensated)
	}
	return states
}

func (v *victim) unreached() *fault {
	return v.undone(&fault{name: v.name + " is not reached", want: want{runs: often}, play: v.finding(ledger.Lose)}, 1)
}

func (v *victim) answerLost() *fault {
	return v.unknownOnce(v.name+" is done, and its answer is lost", ledger.Drop)
}

func (v *victim) inProgress() *fault {
	return v.unknownOnce(v.name+" answers that it is still at it", ledger.Overlap)
}

func (v *victim) rejected() *fault {
	return refused(&fault{
		name: v.name + " rejects", dealing: &dealing{key: v.Key, requests: exactly(1)},
		play: func(tr *trial) {
			v.finding(ledger.Reject)(tr)
			tr.went(v.Key, provider.StatePrepared, provider.StateRejected)
		},
	})
}

func (v *victim) otherPayload() *fault {
	return &fault{
		name: v.name + " has another payload under the key", dealing: &dealing{key: v.Key, requests: exactly(1)},
		want: want{state: runtime.StateDiscarded, reason: runtime.ReasonPayloadMismatch},
		play: func(tr *trial) {
			v.finding(ledger.Conflict)(tr)
			for _, in := range tr.allIntents() {
				if in.Key == v.Key && (in.State != provider.StateUnknown || !in.Quarantined) {
					tr.problem("the call is %s, and must be unknown and quarantined", in.State)
				}
			}
		},
	}
}

// later: the provider wants to be left alone, and is, however often the step looks.
func (v *victim) later() *fault {
	const pause = time.Hour
	return v.undone(&fault{
		name: v.name + " asks to come again later", want: want{runs: often},
		play: func(tr *trial) {
			tr.ledger.NextOf(v.Key, ledger.Busy(pause))
			if !tr.enqueued() {
				return
			}
			tr.work(polling)
			if tr.until(func() bool { s := tr.look(); return waits(s) || s.State.Ended() }); !waits(tr.last()) {
				tr.problem("the step does not wait")
				return
			}
			if left := time.Until(tr.last().ScheduledAt); left < pause/2 {
				tr.problem("the step runs again in %v, and was asked to wait for %v", left, pause)
			}
			tr.due()
			tr.until(func() bool { return tr.events.of(runtime.EventReleased) > 1 || tr.look().State.Ended() })
			if n := len(tr.ledger.Requests(v.Key)); n == 1 {
				tr.fire()
			} else {
				tr.problem("%s was requested %d times before it may be", v.name, n)
			}
			tr.until(func() bool { s := tr.look(); return waits(s) || s.State.Ended() })
			tr.age("not_before = clock_timestamp()", "not_before IS NOT NULL")
			tr.wait()
		},
	}, 1)
}

// pastWindow: the answer is lost, and before the step looks again the provider has forgotten the key.
func (v *victim) pastWindow() *fault {
	f := &fault{
		name: v.name + " is done, its answer is lost, and its window is over", late: true, want: want{runs: often},
		dealing: &dealing{key: v.Key, requests: exactly(1), effects: 1},
		around: first(func(x *execution) (any, error) {
			out, err := x.handler()
			x.windows()
			x.ledger.Forget()
			return out, err
		}),
	}
	f.play = func(tr *trial) {
		v.finding(ledger.Drop)(tr)
		tr.went(v.Key, tr.taken(v.Call, unknownFirst)...)
	}
	return f
}

// kills are deaths of the worker's process around the call.
func (v *victim) kills() []*fault {
	unsent := v.undone(&fault{
		name: "killed when " + v.name + " was about to be sent", want: want{reclaims: 1, runs: often},
		play: func(tr *trial) { tr.playKilledAt(stop{Key: v.Key}, 1) },
	}, 0)
	list := []*fault{unsent, {
		name: "killed when " + v.name + " was done, and its answer not stored", want: want{reclaims: 1, runs: often}, dealing: v.done(),
		play: func(tr *trial) { tr.playKilledAt(stop{Key: v.Key, Answered: true}, 1) },
	}}
	if v.Undo && v.resends {
		list = append(list, &fault{
			name: "killed twice when " + v.name + " was about to be sent", want: want{reclaims: 2, runs: often},
			dealing: &dealing{key: v.Key, requests: exactly(1), effects: 1},
			play:    func(tr *trial) { tr.playKilledAt(stop{Key: v.Key}, 2) },
		})
	}
	return list
}

// playKilledAt kills the worker at a call, several times.
func (tr *trial) playKilledAt(s stop, times int) {
	if !tr.enqueued() {
		return
	}
	for range times {
		if !tr.killAt(task{Stop: s}) {
			return
		}
		tr.unseen("while its worker was dead")
		tr.windows()
		tr.expire()
	}
	tr.fire()
	tr.work(sweeping)
	tr.wait()
}

// judgeRefused looks at a step whose call was definitely not done.
func (tr *trial) judgeRefused() {
	s := tr.last()
	switch {
	case s.State == runtime.StateCompleted:
		tr.outcome = "as the handler decides"
	case s.State == runtime.StateDiscarded && s.Reason == runtime.ReasonPermanent:
		tr.judgeEffects(s.State)
	default:
		tr.problem("the step is %s: no retry can mend a rejection; return the error that the call gives, or go on without it%s", describeEnd(s), because(s))
	}
}
