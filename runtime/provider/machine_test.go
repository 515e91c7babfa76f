package provider_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// reply is how the provider in memory treats a request.
type reply string

const (
	accepts   reply = "accepts"
	drops     reply = "drops"
	loses     reply = "loses"
	rejects   reply = "rejects"
	conflicts reply = "conflicts"
	unsent    reply = "unsent"
)

// bank is an honest provider in memory: it rejects nothing that it has done, and remembers keys as long as it says.
type bank struct {
	mu         sync.Mutex
	keeps      bool // it honours keys
	reply      reply
	remembered map[string]ledger.Receipt
	effects    map[string][]ledger.Receipt
	requests   map[string]int
}

func newBank(keeps bool) *bank {
	return &bank{keeps: keeps, remembered: map[string]ledger.Receipt{}, effects: map[string][]ledger.Receipt{}, requests: map[string]int{}}
}

func (k *bank) send(_ context.Context, key string, _ message) (receipt ledger.Receipt, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reply == unsent {
		return receipt, provider.NotSent(errors.New("no line"))
	}
	k.requests[key]++
	receipt, again := k.remembered[key]
	switch {
	case k.reply == loses:
		return receipt, errors.New("lost")
	case again:
	case k.reply == rejects:
		return receipt, provider.Rejected(errors.New("no"))
	case k.reply == conflicts:
		return receipt, provider.Conflict(errors.New("other"))
	default:
		receipt = ledger.Receipt{ID: fmt.Sprint(len(k.effects[key]) + 1), Key: key}
		k.effects[key] = append(k.effects[key], receipt)
		if k.keeps {
			k.remembered[key] = receipt
		}
	}
	if k.reply == drops {
		return ledger.Receipt{}, errors.New("dropped")
	}
	return receipt, nil
}

func (k *bank) find(_ context.Context, key string) (ledger.Receipt, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if done := k.effects[key]; len(done) > 0 {
		return done[0], true, nil
	}
	return ledger.Receipt{}, false, nil
}

// model is what an intent must be, and what the provider must have been asked for.
type model struct {
	w           way
	state       provider.State
	sent        bool // it may have left
	open        bool // the window
	quarantined bool
	effects     int
	requests    int
	ended       bool // the step
}

// run is one execution of the step.
func (m *model) run(r reply) {
	switch m.state {
	case "":
		m.state, m.open = provider.StatePrepared, m.w.window > 0
		m.send(r)
	case provider.StatePrepared: // nothing has left
		m.open = m.w.window > 0
		m.send(r)
	case provider.StateUnknown:
		m.resolve(r)
	default:
		m.ended = true
	}
}

func (m *model) resolve(r reply) {
	switch {
	case m.quarantined:
		m.ended = true
	case !m.sent:
		m.open = m.w.window > 0
		m.send(r)
	case m.w.lookup && m.effects > 0:
		m.state, m.ended = provider.StateReconciled, true
	case m.w.lookup:
		if !m.open {
			m.open = m.w.window > 0
		}
		m.send(r)
	case m.open:
		m.send(r)
	}
}

func (m *model) send(r reply) {
	first := m.state == provider.StatePrepared
	if m.sent = true; r == unsent {
		m.sent = !first // in an unknown state an earlier request may have left
		return
	}
	m.requests++
	done := m.effects > 0 // within the window, which is when it may be sent again, it is remembered
	switch {
	case r == loses:
		m.state = provider.StateUnknown
		return
	case r == rejects && !done:
		m.state, m.ended = provider.StateRejected, true
		return
	case r == conflicts && !done:
		m.state, m.quarantined, m.ended = provider.StateUnknown, true, true
		return
	}
	m.effects = 1
	switch {
	case r == drops:
		m.state = provider.StateUnknown
	case first:
		m.state, m.ended = provider.StateConfirmed, true
	default:
		m.state, m.ended = provider.StateReconciled, true
	}
}

// machine runs one intent and its model side by side.
type machine struct {
	b     *bench
	bank  *bank
	run   runtime.Run
	steps func() int64 // the epoch of the step
	key   string
	model model
}

// execute lets the step run once, also after its end: as if its completion had been lost, or somebody had retried it.
func (m *machine) execute(t *rapid.T) {
	if m.model.ended {
		m.revive()
	}
	m.runs(t, func() { must(m.b.client.Wake(context.Background(), m.run.ID, ""))(m.b) })
}

// runs lets the step run once by waking it. Where it has ended, it stays so until somebody gives it another try.
func (m *machine) runs(t *rapid.T, wake func()) {
	m.bank.mu.Lock()
	m.bank.reply = rapid.SampledFrom([]reply{accepts, drops, drops, loses, loses, rejects, conflicts, unsent}).Draw(t, "reply")
	reply := m.bank.reply
	m.bank.mu.Unlock()
	before := m.steps()
	wake()
	if m.model.ended {
		m.revive()
		return
	}
	m.model.run(reply)
	m.b.eventually("the step has run", func() bool {
		return m.steps() > before && m.b.count(`SELECT count(*) FROM idem.steps WHERE run_id = $1 AND state <> 'running'`, m.run.ID) == 1
	})
}

func (m *machine) revive() {
	m.b.exec(`UPDATE idem.steps SET state = 'pending', finished_at = NULL, scheduled_at = now() + interval '1 hour' WHERE run_id = $1`, m.run.ID)
	m.model.ended = false
}

// intent returns the intent once there is one.
func (m *machine) intent(t *rapid.T) provider.Intent {
	all := must(m.b.operator.List(context.Background(), provider.Filter{All: true, RunID: m.run.ID}))(m.b)
	if len(all) != 1 {
		t.Skip("there is no intent yet")
	}
	m.key = all[0].Key
	return all[0]
}

// pass ends the window, and the provider forgets.
func (m *machine) pass(t *rapid.T) {
	in := m.intent(t)
	if !in.State.Open() {
		t.Skip("nothing depends on it")
	}
	m.b.pass(in.Key)
	m.bank.mu.Lock()
	delete(m.bank.remembered, in.Key)
	m.bank.mu.Unlock()
	m.model.open = false
}

// decide lets an operator say what is true, if that is known.
func (m *machine) decide(t *rapid.T) {
	in := m.intent(t)
	if in.State != provider.StateUnknown {
		t.Skip("there is nothing to decide")
	}
	m.model.quarantined = false
	m.runs(t, func() {
		if m.model.effects > 0 {
			must(m.b.operator.Confirm(context.Background(), by(in), raw(ledger.Receipt{ID: "1", Key: in.Key})))(m.b)
			m.model.state = provider.StateReconciled
		} else {
			must(m.b.operator.Reject(context.Background(), by(in)))(m.b)
			m.model.state = provider.StateRejected
		}
	})
}

func (m *machine) reconcile(t *rapid.T) {
	in := m.intent(t)
	if !in.State.Open() {
		t.Skip("there is nothing to reconcile")
	}
	m.runs(t, func() {
		must(m.b.operator.Reconcile(context.Background(), by(in)))(m.b)
		m.model.state, m.model.quarantined = provider.StateUnknown, false
	})
}

// check compares the two.
func (m *machine) check(t *rapid.T) {
	all := must(m.b.operator.List(context.Background(), provider.Filter{All: true, RunID: m.run.ID}))(m.b)
	if len(all) == 0 {
		if m.model.state != "" {
			t.Fatalf("no intent, want one that is %s", m.model.state)
		}
		return
	}
	in := all[0]
	m.bank.mu.Lock()
	effects, requests := len(m.bank.effects[in.Key]), m.bank.requests[in.Key]
	m.bank.mu.Unlock()
	if in.State != m.model.state || effects != m.model.effects || requests != m.model.requests || in.Quarantined != m.model.quarantined || in.WindowOpen != m.model.open && in.State.Open() {
		t.Fatalf("the intent is %+v with %d requests and %d effects, the model %+v", in, requests, effects, m.model)
	}
	states := m.b.states(in.Key)
	for i := 1; i < len(states); i++ {
		if !slices.Contains(legal[states[i-1]], states[i]) {
			t.Fatalf("the history went %v", states)
		}
	}
}

// Whatever the provider, time and operators do, in whatever order: the intent is what the model says, nothing is sent that
// should not be, and there is at most one effect.
func TestIntentAgainstItsModel(t *testing.T) {
	for name, value := range map[string]string{"rapid.checks": "15", "rapid.nofailfile": "true"} {
		if f := flag.Lookup(name); f.Value.String() == f.DefValue {
			_ = f.Value.Set(value)
		}
	}
	for name, w := range map[string]way{"window": windowed, "lookup": lookedUp, "both": both, "neither": neither} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			k := newBank(w.window > 0)
			opts := []provider.Option{provider.WithPause(time.Hour), provider.WithSettle(0), provider.WithWindow(w.window)}
			if w.lookup {
				opts = append(opts, provider.WithLookup(k.find))
			}
			action := runtime.NewAction[message]("notify", runtime.WithMaxAttempts(1000), runtime.WithBackoff(time.Hour))
			runtime.RegisterAction(b.reg, action, notifier(provider.Define("send_sms", k.send, opts...)))
			b.work()
			rapid.Check(t, func(t *rapid.T) {
				m := &machine{b: b, bank: k, model: model{w: w}}
				m.run = must(action.Enqueue(context.Background(), b.client, hello, runtime.WithDelay(time.Hour)))(b)
				m.steps = func() int64 { return int64(b.count(`SELECT epoch FROM idem.steps WHERE run_id = $1`, m.run.ID)) }
				t.Repeat(map[string]func(*rapid.T){
					"execute": m.execute, "execute again": m.execute, "the window passes": m.pass,
					"an operator decides": m.decide, "an operator reconciles": m.reconcile, "": m.check,
				})
			})
		})
	}
}
