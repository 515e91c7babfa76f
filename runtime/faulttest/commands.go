package faulttest

import (
	"encoding/json"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/internal/wire"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// commandFaults befall the commands of each outbox that the handler uses, and its relays.
func (s *suite) commandFaults(short bool) (list []*fault) {
	for _, t := range s.outboxes {
		of := func(c command) bool { return c.table == t && c.state == outbox.StateDelivered }
		n := slices.IndexFunc(s.sent, of)
		if n < 0 {
			continue
		}
		at := &consignment{t, s.sent[n].id, faultName(nameOf(t))}
		if !short && goruntime.GOOS != "windows" {
			list = append(list, at.killed("after its claim", probe.RelayAfterClaim, 1), at.killed("after a send", probe.RelayAfterSend, 2))
		}
		list = append(list,
			at.answered("a command of "+at.name+" is taken, and the answer is lost", ledger.Drop, outbox.StateDelivered, 2),
			at.answered("a command of "+at.name+" is still being worked on", ledger.Overlap, outbox.StateDelivered, 2),
			at.answered("a command of "+at.name+" is rejected", ledger.Reject, outbox.StateRejected, 1),
			at.answered("a command of "+at.name+" meets another payload under its id", ledger.Conflict, outbox.StateQuarantined, 1),
			at.later(),
			at.late("a command of "+at.name+" is answered when another relay has delivered it", true, ledger.Accept),
			at.late("a command of "+at.name+" fails when another relay has claimed it", false, ledger.Fail))
		for _, statement := range []struct{ name, sql string }{{"claim", relayClaimSQL}, {"mark", relayMarkSQL}} {
			list = append(list,
				at.cut("request lost: the "+statement.name+" of a relay of "+at.name, statement.sql, (*wire.Proxy).CutRequest),
				at.cut("reply lost: the "+statement.name+" of a relay of "+at.name, statement.sql, (*wire.Proxy).CutReply))
		}
	}
	return list
}

// What tells a relay's statements apart: the claim as it is generated, and the mark, see sql.go of the outbox.
const (
	relayClaimSQL = `FOR UPDATE SKIP LOCKED`
	relayMarkSQL  = `v.unsent`
)

// consignment is a command that a fault is to befall.
type consignment struct {
	table *outbox.Table
	id    string
	name  string // of the table
}

// after plays a step to its end, and then relay, which returns when the fault has happened. After it everything is relayed.
func (at *consignment) after(f *fault, state outbox.State, relay func(tr *trial)) *fault {
	f.play = func(tr *trial) {
		tr.play()
		tr.stop()
		if tr.last().State.Ended() {
			relay(tr)
			tr.deliver()
		}
	}
	f.check = func(tr *trial) { tr.judgeCommands(at, state) }
	return f
}

// answered: the receiver does what a behaviour says.
func (at *consignment) answered(name string, b ledger.Behaviour, state outbox.State, requests int) *fault {
	d := &dealing{key: at.id, requests: exactly(requests)}
	if state == outbox.StateDelivered {
		d.effects = 1
	}
	return at.after(&fault{name: name, dealing: d}, state, func(tr *trial) {
		tr.ledger.NextOf(at.id, ledger.Before(tr.fire, b))
	})
}

// killed: the relay's process dies at a point. It sends one command at a time.
func (at *consignment) killed(when string, point probe.Point, requests int) *fault {
	f := &fault{name: "a relay of " + at.name + " is killed " + when}
	return at.after(f, outbox.StateDelivered, func(tr *trial) {
		table, err := json.Marshal(at.table)
		if err != nil {
			tr.problem("the relay cannot be described: %v", err)
			return
		}
		if !tr.killAt(task{Point: point, Relay: table}) {
			return
		}
		before := len(tr.ledger.Requests(""))
		if sent := before - len(tr.calls); sent != requests-1 {
			tr.problem("%d commands were sent before the relay died, and must be %d", sent, requests-1)
		}
		tr.fire()
		tr.lapse(at.table)
	})
}

// cut: the relay's connection to the database breaks.
func (at *consignment) cut(name, sql string, arm func(*wire.Proxy, wire.Match, ...wire.CutOption) *wire.Cut) *fault {
	return at.after(&fault{name: name}, outbox.StateDelivered, func(tr *trial) {
		cut := arm(tr.wires(), wire.Statement(sql))
		r := tr.relay(at.table, tr.proxy.URL())
		select {
		case <-cut.Fired():
			tr.fire()
		case <-time.After(tr.patience()):
			return
		}
		if sql == relayClaimSQL { // nobody may know of it
			tr.lapse(at.table)
		}
		tr.delivered(at.table)
		r.stop()
	})
}

// later: the receiver wants to be left alone, and is.
func (at *consignment) later() *fault {
	f := &fault{name: "a command of " + at.name + " is asked to come again later", dealing: &dealing{key: at.id, requests: exactly(2), effects: 1}}
	return at.after(f, outbox.StateDelivered, func(tr *trial) {
		tr.ledger.NextOf(at.id, ledger.Busy(time.Hour))
		r := tr.relay(at.table, tr.url)
		if tr.until(func() bool { return tr.postponed(at) }) {
			tr.fire()
		}
		if n := len(tr.ledger.Requests(at.id)); n != 1 {
			tr.problem("the command was sent %d times before it may be", n)
		}
		r.stop()
		tr.exec(`UPDATE ` + at.table.Effect.Table + ` SET next_attempt_at = now() WHERE state = 'pending'`)
	})
}

// postponed reports whether the command is given back, to be sent when the receiver wants it.
func (tr *trial) postponed(at *consignment) (yes bool) {
	if err := tr.pool.QueryRow(tr.ctx, `SELECT claim_expires_at IS NULL AND next_attempt_at > clock_timestamp() + interval '30 minutes'
		FROM `+at.table.Effect.Table+` WHERE command_id = $1 AND state = 'pending'`, at.id).Scan(&yes); err != nil {
		tr.problem("the command cannot be read: %v", err)
	}
	return yes
}

// late: a relay is answered when its claim has run out and another relay has the command, has delivered it even. What it
// then knows must change nothing.
func (at *consignment) late(name string, delivered bool, answer ledger.Behaviour) *fault {
	f := &fault{name: name, dealing: &dealing{key: at.id, requests: exactly(2), effects: 1}}
	return at.after(f, outbox.StateDelivered, func(tr *trial) {
		first, second := newHold(), newHold()
		defer first.release()
		defer second.release()
		tr.ledger.NextOf(at.id, first.then(answer), second.then(ledger.Accept))
		slow := tr.relay(at.table, tr.wires().URL())
		if !tr.requested(at.id, 1) {
			return
		}
		resume := tr.proxy.PauseRequests() // it must not claim the command again itself
		defer resume()
		if !tr.until(func() bool { return tr.underWay(relayClaimSQL, "true") == 0 }) {
			return
		}
		tr.lapse(at.table)
		tr.relay(at.table, tr.url)
		if delivered {
			second.release()
			tr.until(func() bool { return tr.command(at.table, at.id).state == outbox.StateDelivered })
		}
		if !tr.requested(at.id, 2) {
			return
		}
		before := tr.command(at.table, at.id)
		first.release()
		resume()
		tr.judgeLate(at, slow, before)
	})
}

// judgeLate makes sure that a relay which has lost its claim is told so, and has changed nothing.
func (tr *trial) judgeLate(at *consignment, slow *relaying, before command) {
	if tr.until(func() bool { return slow.cameLate(at.id) }) {
		tr.fire()
	} else {
		tr.problem("the relay that had lost its claim was never told so")
	}
	if now := tr.command(at.table, at.id); now.epoch != before.epoch || now.state != before.state {
		tr.problem("a late answer changed the command: it was %s at epoch %d, and is %s at %d", before.state, before.epoch, now.state, now.epoch)
	}
}

// hold holds a request up until it is released.
type hold struct {
	gate    chan struct{}
	release func()
}

func newHold() *hold {
	gate := make(chan struct{})
	return &hold{gate, sync.OnceFunc(func() { close(gate) })}
}

func (h *hold) then(b ledger.Behaviour) ledger.Behaviour {
	return ledger.Before(func() { <-h.gate }, b)
}

// requested waits for the n-th request under a key.
func (tr *trial) requested(key string, n int) bool {
	return tr.until(func() bool { return len(tr.ledger.Requests(key)) >= n })
}

// command returns the command as it is now.
func (tr *trial) command(t *outbox.Table, id string) command {
	for _, c := range tr.commands(t) {
		if c.id == id {
			return c
		}
	}
	return command{}
}

// lapse lets the claims of a table run out, as if their relay had not been heard of for long.
func (tr *trial) lapse(t *outbox.Table) {
	tr.exec(`UPDATE ` + t.Effect.Table + ` SET next_attempt_at = now(), claim_expires_at = now() WHERE state = 'pending' AND claim_expires_at IS NOT NULL`)
}

// judgeCommands compares what has become of the commands: that of at must be in a state, the others as without the fault.
func (tr *trial) judgeCommands(at *consignment, state outbox.State) {
	for _, free := range tr.sent {
		want, d := free.state, dealing{key: free.id, requests: span{1, 2}, effects: 1}
		if free.id == at.id {
			want = state
			if tr.fault.dealing != nil {
				d = *tr.fault.dealing
			}
		}
		now := tr.command(free.table, free.id)
		if now.state != want {
			tr.problem("the command %s of %s is %s, and must be %s; its last error: %s", free.id, nameOf(free.table), now.state, want, now.err)
		}
		tr.judgeDealing(d, true, "the command "+free.id)
	}
	if state != outbox.StateDelivered {
		return
	}
	c := tr.compare("without the fault")
	if d := c.diff(tr.relayed, tr.snapshot()); d != "" {
		tr.problem("the commands are relayed, and the database is not as without the fault\n%s", d)
	}
}
