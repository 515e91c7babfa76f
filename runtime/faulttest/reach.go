package faulttest

import (
	"fmt"
	"slices"

	"github.com/idem-go/idem/runtime/internal/double"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/provider"
)

// This file is about what leaves the database without a fault: which calls a handler makes, which commands it queues, and
// what becomes of them.

// lookOutside notes what the first run without a fault has asked others for, and relays its commands.
func (s *suite) lookOutside(tr *trial) (problem string) {
	s.calls, s.outboxes = tr.outside.seen()
	s.intents = map[string]provider.State{}
	for _, in := range tr.allIntents() {
		s.intents[in.Key] = in.State
	}
	for _, t := range s.outboxes {
		s.sent = append(s.sent, tr.inState(t, outbox.StatePending)...)
	}
	tr.deliver()
	s.relayed = tr.snapshot()
	for i, c := range s.sent {
		c = tr.command(c.table, c.id)
		s.sent[i] = c
		switch c.state {
		case outbox.StateDelivered:
			tr.judgeDealing(dealing{key: c.id, requests: exactly(1), effects: 1}, true, "the command "+c.id)
		case outbox.StatePending: // and said so
		default:
			tr.problem("a command of %s is %s without any fault: %s", nameOf(c.table), c.state, c.err)
		}
	}
	tr.judgeCalls(true)
	return ""
}

// sameOutside makes sure that a second run asks for the same.
func (s *suite) sameOutside(tr *trial) (problem string) {
	calls, outboxes := tr.outside.seen()
	for _, t := range outboxes {
		if !slices.ContainsFunc(s.outboxes, func(o *outbox.Table) bool { return o.Effect.Table == t.Effect.Table }) {
			s.outboxes = append(s.outboxes, t)
		}
	}
	for _, c := range calls {
		at := slices.IndexFunc(s.calls, func(o double.Call) bool { return o.Key == c.Key })
		switch {
		case at < 0 || len(calls) != len(s.calls):
			return fmt.Sprintf("two runs without any fault call %s under different keys: an item must be the same at every execution, such as the id of what the call is about%s",
				c.Provider, s.itemsOf(c))
		case string(s.calls[at].Request) != string(c.Request):
			return fmt.Sprintf("two runs without any fault ask %s for different things under one key; a second execution would be refused: take times and ids from the input\n  %s\n  %s",
				describeCall(c), shorten(string(s.calls[at].Request)), shorten(string(c.Request)))
		}
	}
	for _, t := range s.outboxes {
		for _, c := range tr.inState(t, outbox.StatePending) {
			if !slices.ContainsFunc(s.sent, func(o command) bool { return o.id == c.id }) {
				return fmt.Sprintf("two runs without any fault queue commands of %s under different ids: an item must be the same at every execution, such as the id of what the command is about", nameOf(t))
			}
		}
	}
	if len(calls) < len(s.calls) {
		return fmt.Sprintf("a second run without any fault makes %d calls of providers, the first one made %d; does the handler keep state in memory or in files?", len(calls), len(s.calls))
	}
	return ""
}

// itemsOf shows a call's item, and those of the first run.
func (s *suite) itemsOf(c double.Call) string {
	text := fmt.Sprintf("\n  the item %q is new", c.Item)
	for _, o := range s.calls {
		if o.Provider == c.Provider {
			text += fmt.Sprintf("\n  there was %q", o.Item)
		}
	}
	return text
}

// ignoreBookkeeping keeps what a relay notes about its work from being compared.
func (s *suite) ignoreBookkeeping() {
	for _, t := range s.catalog.tables {
		if s.isOutbox(t) {
			for _, column := range bookkeeping {
				s.volatile.add(t.name, column)
			}
		}
	}
}

// allIntents reads the calls of providers as the database has them.
func (tr *trial) allIntents() []provider.Intent {
	list, err := provider.NewOperator(tr.pool).List(tr.ctx, provider.Filter{All: true, Limit: 10_000})
	if err != nil {
		tr.problem("the calls of providers cannot be read: %v", err)
	}
	return list
}
