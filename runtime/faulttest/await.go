package faulttest

import (
	"errors"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/double"
	"github.com/idem-go/idem/runtime/provider"
)

// This file is about steps that wait to find out what has become of a call.

// waits reports whether the step was handed back until something is known.
func waits(s runtime.StepStatus) bool {
	return s.State == runtime.StatePending && s.Reason == runtime.ReasonWaiting
}

// timePasses lets everything come that a waiting step waits for, also an operator's decision.
func (tr *trial) timePasses() {
	if key, asks := tr.forOperator(); asks {
		tr.decide(key)
	}
	tr.age("dispatched_at = dispatched_at - interval '1 day'", "state = 'unknown' AND dispatched_at > clock_timestamp() - interval '1 hour'")
	tr.windows()
	tr.due()
}

// windows puts the ends of windows where the time that a test takes makes no difference: far away, or, where they are too
// near to be of any use, behind us.
func (tr *trial) windows() {
	var long, short []string
	for _, c := range tr.calls {
		if tr.resends(c) && !tr.fault.late {
			long = append(long, c.Key)
		} else {
			short = append(short, c.Key)
		}
	}
	tr.age("window_ends_at = clock_timestamp() + interval '1000 days'", "window_ends_at < clock_timestamp() + interval '500 days' AND key = ANY ($1)", long)
	tr.age("window_ends_at = clock_timestamp() - interval '1 second'", "window_ends_at > clock_timestamp() AND key = ANY ($1)", short)
}

// resends reports whether a call is ever sent again because its provider honours keys: an execution that finds its outcome
// unknown must find the window open for as long as an attempt may take.
func (s *suite) resends(c double.Call) bool {
	return c.Window > c.Margin+c.Pause+s.limits.Timeout
}

// age changes the times of calls whose outcome is not known, as if these were longer ago.
func (tr *trial) age(set, where string, args ...any) {
	tr.exec(`UPDATE "idem".intents SET epoch = epoch + 1, actor = 'faulttest', reason = 'time passes', `+set+
		` WHERE state IN ('prepared', 'unknown') AND `+where, args...)
}

// forOperator returns the call that the step has left to an operator at last, if it has.
func (tr *trial) forOperator() (key string, asks bool) {
	released := tr.events.list(runtime.EventReleased)
	if len(released) == 0 {
		return "", false
	}
	var unknown *provider.UnknownError
	if !errors.As(released[len(released)-1].Err, &unknown) {
		return "", false
	}
	return unknown.Key, unknown.Operator
}

// decide is an operator who looks the call up at the provider, and says what is true.
func (tr *trial) decide(key string) {
	operator := provider.NewOperator(tr.pool)
	in, _, err := operator.Show(tr.ctx, key)
	if err != nil || in.State != provider.StateUnknown {
		return // it is known by now
	}
	decision := provider.Decision{Key: key, Epoch: in.Epoch, Actor: "faulttest", Reason: "looked it up"}
	if tr.ledger.Effects(key) == 0 {
		_, err = operator.Reject(tr.ctx, decision)
	} else if receipt, e := tr.outside.stored(tr.call(key)); e == nil {
		_, err = operator.Confirm(tr.ctx, decision, receipt)
	}
	var state *provider.StateError
	if err != nil && !errors.As(err, &state) { // somebody has changed it meanwhile
		tr.problem("the operator's decision fails: %v", err)
	}
}

// call returns a call of the run without a fault by its key.
func (s *suite) call(key string) double.Call {
	for _, c := range s.calls {
		if c.Key == key {
			return c
		}
	}
	return double.Call{Key: key}
}
