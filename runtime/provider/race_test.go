package provider_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// The lease is lost while the call is out, and its answer comes after another worker has taken the step over: one effect,
// one receipt, one completion.
func TestTwoWorkersOnOneStep(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench, w way) {
		answered := make(chan struct{})
		var calls atomic.Int32
		p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
			if calls.Add(1) > 1 {
				return b.api.Send(ctx, key, m)
			}
			receipt, err := b.api.Send(ctx, key, m)
			<-answered // on its way, whatever becomes of the step
			return receipt, err
		}, w.options(b.api)...)
		runtime.RegisterAction(b.reg, notify, notifier(p))
		b.work()
		run := b.enqueue()
		b.eventually("the first worker has sent it", func() bool { return b.ledger.Effects("") == 1 })
		b.work()
		b.expire(run)
		b.completed(run, 1)
		settled := b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
		close(answered)
		time.Sleep(100 * time.Millisecond) // for the late answer
		if now := b.intent(); now.Epoch != settled.Epoch || string(now.Receipt) != string(settled.Receipt) {
			t.Errorf("the late answer has changed %+v to %+v", settled, now)
		}
		if n := b.ledger.Effects(""); n != 1 {
			t.Errorf("%d effects, want 1", n)
		}
		if n := b.count(`SELECT count(*) FROM sent`); n != 1 {
			t.Errorf("%d completions, want 1", n)
		}
	})
}

// Nobody can find out, but the answer comes at last, to a worker that has lost the step: it is a fact, and counts.
func TestLateAnswerIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	answered := make(chan struct{})
	p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
		receipt, err := b.api.Send(ctx, key, m)
		<-answered
		return receipt, err
	}, provider.WithPause(20*time.Millisecond))
	runtime.RegisterAction(b.reg, notify, notifier(p))
	b.work()
	run := b.enqueue()
	b.eventually("it is sent", func() bool { return b.ledger.Effects("") == 1 })
	b.work()
	b.expire(run)
	b.is(b.waits(run), runtime.StatePending, runtime.ReasonWaiting, 1, 1)
	close(answered)
	b.eventually("the answer is kept", func() bool { return b.intent().State == provider.StateReconciled })
	must(b.client.Wake(context.Background(), run.ID, ""))(t)
	b.completed(run, 1)
	b.asked(1, 1)
}

// The provider has done what an operator has rejected in the meantime: the rejection stands, and the history and the log
// say what happened.
func TestLateAnswerAgainstARejection(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	answered := make(chan struct{})
	p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
		receipt, err := b.api.Send(ctx, key, m)
		<-answered
		return receipt, err
	}, provider.WithPause(20*time.Millisecond))
	runtime.RegisterAction(b.reg, notify, notifier(p))
	b.work()
	run := b.enqueue()
	b.eventually("it is sent", func() bool { return b.ledger.Effects("") == 1 })
	b.work()
	b.expire(run)
	b.waits(run)
	must(b.operator.Reject(context.Background(), by(b.intent())))(t)
	b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 1, 1)
	rejected := b.intent()
	close(answered)
	b.eventually("the contradiction is recorded", func() bool { return b.intent().Epoch == rejected.Epoch+1 })
	b.went(rejected.Key, provider.StatePrepared, provider.StateUnknown, provider.StateRejected)
}

// A worker is stopped between its intent and its sending, and another one does its work: when it goes on it must not send,
// for the provider may have forgotten the key by then.
func TestStoppedBeforeSending(t *testing.T) {
	b := newBench(t)
	reached, proceed := make(chan struct{}), make(chan struct{})
	var stopped atomic.Bool
	defer probe.Set(func(p probe.Point, _, _ string) {
		if p == probe.IntentAfterPrepare && !stopped.Swap(true) {
			close(reached)
			<-proceed
		}
	})()
	b.notifies(lookedUp)
	first := b.work()
	run := b.enqueue()
	<-reached
	b.work()
	time.Sleep(time.Second)
	b.expire(run)
	b.completed(run, 1)
	b.ledger.Forget()
	close(proceed)
	first()
	b.asked(1, 1)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
}

// While the provider works, the database has nothing to keep for the step: no transaction is open, and no connection taken.
func TestNothingIsHeldWhileSending(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ledger.Next(ledger.After(time.Second, ledger.Accept))
	b.notifies(neither)
	b.work()
	run := b.enqueue()
	b.eventually("it is sent", func() bool { return len(b.ledger.Requests("")) == 1 })
	looks := 0
	for ; b.ledger.Effects("") == 0; looks++ {
		if n := b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`); n != 0 {
			t.Fatalf("%d transactions are open", n)
		}
		// Anybody can have the rows.
		b.exec(`BEGIN; SELECT 1 FROM idem.intents FOR UPDATE NOWAIT; SELECT 1 FROM idem.steps FOR UPDATE NOWAIT; COMMIT`)
		time.Sleep(10 * time.Millisecond)
	}
	if looks < 10 {
		t.Errorf("only %d looks", looks)
	}
	b.completed(run, 0)
}
