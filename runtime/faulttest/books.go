package faulttest

import (
	"fmt"
	"slices"

	"github.com/idem-go/idem/runtime/provider"
)

// This file compares what the ledger was asked for, and did, with what the step's end promises.

// dealing is what must have become outside of one call or command.
type dealing struct {
	key      string
	requests span
	effects  int
}

// judgeDealing compares one key's dealing. sure tells whether the effect must be there; otherwise there may be none.
func (tr *trial) judgeDealing(d dealing, sure bool, name string) {
	requests, effects := len(tr.ledger.Requests(d.key)), tr.ledger.Effects(d.key)
	switch {
	case effects > max(d.effects, 1):
		tr.problem("%s was done %d times, and must be once: it was sent again when that was not safe any more", name, effects)
	case sure && effects < d.effects:
		tr.problem("%s was not done, though the step ended as if it were", name)
	case effects > d.effects:
		tr.problem("%s was done, and must not be", name)
	case !d.requests.has(requests):
		tr.problem("%s was requested %d times, and must be %s times", name, requests, d.requests)
	}
}

// judgeCalls compares what providers were asked for. completed tells whether the step is.
func (tr *trial) judgeCalls(completed bool) {
	known := map[string]bool{}
	for _, c := range tr.calls {
		known[c.Key] = true
		d := dealing{key: c.Key, requests: span{0, 1}, effects: 1}
		if completed {
			d.requests.from = 1
		}
		if tr.fault.hurried {
			d.requests.to = tr.executions()
		}
		sure := completed
		if tr.fault.diverts {
			d.requests.from, sure = 0, false
		}
		if f := tr.fault.dealing; f != nil && f.key == c.Key {
			d, sure = *f, true
		}
		tr.judgeDealing(d, sure, describeCall(c))
	}
	if tr.fault.diverts {
		return
	}
	if completed {
		tr.judgeIntents()
	}
	for _, r := range tr.ledger.Requests("") {
		if !known[r.Key] && !slices.ContainsFunc(tr.sent, func(c command) bool { return c.id == r.Key }) {
			known[r.Key] = true
			tr.problem("%s", tr.stranger(r.Key))
		}
	}
}

// stranger describes a request that is not made without the fault.
func (tr *trial) stranger(key string) string {
	for _, in := range tr.allIntents() {
		if in.Key != key {
			continue
		}
		what := fmt.Sprintf("%s was called under another key than without the fault: a second effect; the key must be the same at every execution", in.Provider)
		if in.Item != "" {
			what += fmt.Sprintf("\n  its item is %q", in.Item)
		}
		return what + fmt.Sprintf("\n  it was asked for %s", shorten(string(in.Request)))
	}
	return fmt.Sprintf("something was sent under the key %q, and is not without the fault", key)
}

// judgeIntents makes sure that a completed step knows what has become of its calls.
func (tr *trial) judgeIntents() {
	for _, in := range tr.allIntents() {
		free, ok := tr.intents[in.Key]
		if !ok || in.State == free || isDone(in.State) && isDone(free) {
			continue
		}
		if in.State.Open() {
			tr.problem("the step completed although it is not known what has become of its call of %s: it is %s (%s); return the error that the call gives",
				in.Provider, in.State, in.Reason)
			continue
		}
		tr.problem("the step completed, and its call of %s is %s; without the fault it is %s", in.Provider, in.State, free)
	}
}

func isDone(s provider.State) bool {
	return s == provider.StateConfirmed || s == provider.StateReconciled
}

// went makes sure that a call has passed through certain states.
func (tr *trial) went(key string, want ...provider.State) {
	_, events, err := provider.NewOperator(tr.pool).Show(tr.ctx, key)
	if err != nil {
		tr.problem("the history of the call cannot be read: %v", err)
		return
	}
	var states []provider.State
	for _, e := range events {
		if e.To != e.From {
			states = append(states, e.To)
		}
	}
	if !slices.Equal(states, want) {
		tr.problem("the call went through %v, and must through %v", states, want)
	}
}
