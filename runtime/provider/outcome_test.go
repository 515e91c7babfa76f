package provider_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

func TestAnswerAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.notifies(neither)
	b.work()
	run := b.enqueue()
	b.completed(run, 0)
	b.asked(1, 1)
	in := b.went(b.intent().Key, provider.StatePrepared, provider.StateConfirmed)
	if in.RunID != run.ID || in.Node != "notify" || in.Provider != "send_sms" || in.Key != b.ledger.Keys()[0] || in.SettledAt == nil {
		t.Errorf("intent %+v", in)
	}
}

// The provider does it, and its answer is lost.
func TestF51_AnswerLost(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench, w way) {
		b.ledger.Next(ledger.Drop)
		b.notifies(w)
		b.work()
		b.completed(b.enqueue(), 0)
		if w.lookup {
			b.asked(1, 1)
		} else {
			b.asked(2, 1)
		}
		in := b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
		// The provider counts from the first request, however often it gets another one.
		if w.window > 0 && in.WindowEndsAt.Sub(in.CreatedAt) > w.window+10*time.Millisecond {
			t.Errorf("the window ends %v after the first request", in.WindowEndsAt.Sub(in.CreatedAt))
		}
	})
}

// The request is lost before the provider sees anything of it: an absence is proven, or the key may be sent again.
func TestF51_RequestLost(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench, w way) {
		b.ledger.Next(ledger.Lose, ledger.Fail, ledger.Drop)
		b.notifies(w)
		b.work()
		b.completed(b.enqueue(), 0)
		if w.lookup {
			b.asked(3, 1)
		} else {
			b.asked(4, 1)
		}
		b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
	})
}

func TestF52_Rejected(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench, w way) {
		b.ledger.Next(ledger.Reject)
		b.notifies(w)
		b.work()
		run := b.enqueue()
		b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 1, 0)
		b.asked(1, 0)
		in := b.went(b.intent().Key, provider.StatePrepared, provider.StateRejected)
		if in.Receipt != nil || !strings.Contains(in.Reason, "400 Bad Request") {
			t.Errorf("intent %+v", in)
		}
		// The rejection is the answer from now on.
		must(b.client.Retry(context.Background(), run.ID, ""))(t)
		b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 2, 0)
		b.asked(1, 0)
	})
}

// A new try after a proven rejection is a generation of its own, which the author asks for.
func TestNextGenerationAfterARejection(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ledger.Next(ledger.Reject, ledger.Reject, ledger.Drop)
	b.notifies(windowed, provider.NextGeneration())
	b.work()
	run := b.enqueue()
	for attempt := 1; attempt <= 2; attempt++ {
		b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, attempt, 0)
		must(b.client.Retry(context.Background(), run.ID, ""))(t)
	}
	b.is(b.wait(run), runtime.StateCompleted, "", 3, 0)
	all := b.intents()
	if len(all) != 3 || all[0].Key == all[1].Key || all[1].Key == all[2].Key {
		t.Fatalf("generations %+v", all)
	}
	for i, in := range all {
		want := []provider.State{provider.StatePrepared, provider.StateRejected}
		if i == 2 { // its answer was lost: the same generation goes on
			want = []provider.State{provider.StatePrepared, provider.StateUnknown, provider.StateReconciled}
		}
		if b.went(in.Key, want...); in.Generation != i+1 {
			t.Errorf("generation %d is %d", i+1, in.Generation)
		}
	}
	b.asked(4, 1)
}

func TestF53_InProgress(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench, w way) {
		b.ledger.Next(ledger.InProgress, ledger.InProgress)
		b.notifies(w)
		b.work()
		b.completed(b.enqueue(), 0)
		b.asked(3, 1)
		b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
	})
}

// The provider knows the key with another payload: quarantined, nothing is sent again, and the log says so.
func TestF54_OtherPayloadUnderThisKey(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench, w way) {
		b.ledger.Next(ledger.Conflict)
		b.notifies(w)
		b.work()
		run := b.enqueue()
		b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPayloadMismatch, 1, 0)
		in := b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown)
		if !in.Quarantined {
			t.Errorf("not quarantined: %+v", in)
		}
		if log := b.log.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, in.Key) {
			t.Errorf("no alarm in the log: %s", log)
		}
		must(b.client.Retry(context.Background(), run.ID, ""))(t)
		b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPayloadMismatch, 2, 0)
		b.asked(1, 0)
		if n := b.ledger.Lookups(""); n != 0 {
			t.Errorf("%d lookups of a quarantined key", n)
		}
	})
}

// The next request comes no earlier than the provider has asked for, whoever wakes the step.
func TestF55_RetryAfter(t *testing.T) {
	for name, busy := range map[string]ledger.Behaviour{"429": ledger.Busy(time.Second), "503": ledger.Unavailable(time.Second)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.ledger.Next(busy)
			b.notifies(both)
			b.work()
			run := b.enqueue()
			for range 5 {
				time.Sleep(100 * time.Millisecond)
				must(b.client.Wake(context.Background(), run.ID, ""))(t)
			}
			b.completed(run, 0)
			b.asked(2, 1)
			if r := b.ledger.Requests(""); r[1].At.Sub(r[0].At) < time.Second {
				t.Errorf("sent again after %v", r[1].At.Sub(r[0].At))
			}
			b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
		})
	}
}

// unknownPastTheWindow brings a run to where its answer is lost, its window over, and the key forgotten.
func (b *bench) unknownPastTheWindow(w way) runtime.Run {
	b.Helper()
	b.ledger.Next(ledger.Hang)
	run := b.enqueue()
	c := b.spawn("window", "")
	b.eventually("the ledger has done it", func() bool { return b.ledger.Effects("") == 1 })
	c.kill()
	b.pass(b.intent().Key)
	b.ledger.Forget()
	b.expire(run)
	b.notifies(w)
	b.work()
	return run
}

// With a lookup the effect is found, and nothing is sent.
func TestF62_AfterTheWindowWithLookup(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := b.unknownPastTheWindow(both)
	b.completed(run, 1)
	b.asked(1, 1)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
}

// Without one nothing is sent, and the step waits, until an operator has found out.
func TestF62_AfterTheWindowWithoutLookup(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := b.unknownPastTheWindow(windowed)
	b.is(b.waits(run), runtime.StatePending, runtime.ReasonWaiting, 1, 1)
	for range 3 { // however often it looks
		b.exec(`UPDATE idem.steps SET reason = 'again' WHERE run_id = $1`, run.ID)
		must(b.client.Wake(context.Background(), run.ID, ""))(t)
		b.is(b.waits(run), runtime.StatePending, runtime.ReasonWaiting, 1, 1)
	}
	b.asked(1, 1)
	in := b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown)
	if in.WindowOpen || b.count(`SELECT count(*) FROM sent`) != 0 {
		t.Errorf("intent %+v", in)
	}

	receipt := ledger.Receipt{ID: "effect-1", Key: in.Key}
	res := must(b.operator.Confirm(context.Background(), by(in), raw(receipt)))(t)
	if !res.Woken || res.Intent.State != provider.StateReconciled {
		t.Errorf("confirmed: %+v", res)
	}
	b.completed(run, 1)
	b.asked(1, 1)
	in = b.went(in.Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
	if in.Actor != "ann" || in.Reason != "looked it up" {
		t.Errorf("it was decided by %s: %s", in.Actor, in.Reason)
	}
}

// Past the window an absence must have had the time to be one.
func TestAbsenceProvesNothingAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ledger.Next(ledger.After(500*time.Millisecond, ledger.Accept))
	p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
		ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		return b.api.Send(ctx, key, m)
	}, provider.WithLookup(b.api.Find), provider.WithPause(20*time.Millisecond), provider.WithSettle(time.Second))
	runtime.RegisterAction(b.reg, notify, notifier(p))
	b.work()
	b.completed(b.enqueue(), 0)
	b.asked(1, 1)
}

// What has not left is an ordinary failure of the attempt, and is sent again at once, whatever the provider offers.
func TestNotSent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	gone := ledger.Client{URL: "http://127.0.0.1:1"}
	down := true
	p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
		if down {
			down = false
			return gone.Send(ctx, key, m)
		}
		return b.api.Send(ctx, key, m)
	})
	runtime.RegisterAction(b.reg, notify, notifier(p))
	b.work()
	b.is(b.wait(b.enqueue()), runtime.StateCompleted, "", 2, 0)
	b.asked(1, 1)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateConfirmed)
}

// The provider never answers: the call ends before the attempt does, which therefore does not fail.
func TestProviderThatNeverAnswers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ledger.Next(ledger.Hang)
	slow := runtime.NewAction[message]("notify", runtime.WithTimeout(time.Second))
	runtime.RegisterAction(b.reg, slow, notifier(define(both, b.api)))
	b.work()
	b.completed(b.enqueue(), 0)
	b.asked(1, 1)
}

// A provider function that panics leaves the outcome unknown; the attempt fails.
func TestPanicInTheProvider(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := true
	p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
		receipt, err := b.api.Send(ctx, key, m)
		if first {
			first = false
			panic("nil map")
		}
		return receipt, err
	}, windowed.options(b.api)...)
	runtime.RegisterAction(b.reg, notify, notifier(p))
	b.work()
	b.is(b.wait(b.enqueue()), runtime.StateCompleted, "", 2, 0)
	b.asked(2, 1)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateUnknown, provider.StateReconciled)
	if n := b.count(`SELECT count(*) FROM idem.intent_events WHERE to_state = 'unknown' AND reason = 'the provider function panicked'`); n != 1 {
		t.Errorf("the panic left %d remarks, want 1", n)
	}
}

// A later failure of the handler does not lose the receipt.
func TestReceiptOutlivesTheAttempt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	send := notifier(define(neither, b.api))
	runtime.RegisterAction(b.reg, notify, func(ctx runtime.Context, in message) error {
		if err := send(ctx, in); err != nil || ctx.Attempt() > 1 {
			return err
		}
		_, err := ctx.CompletionTx().Exec(ctx, `SELECT 1/0`)
		return err
	})
	b.work()
	b.is(b.wait(b.enqueue()), runtime.StateCompleted, "", 2, 0)
	b.asked(1, 1)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateConfirmed)
	if n := b.count(`SELECT count(*) FROM sent`); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// Another request under the key is refused before anything is sent, also when the handler ignores it.
func TestSameCallWithAnotherRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := define(both, b.api)
	runtime.RegisterAction(b.reg, notify, func(ctx runtime.Context, in message) error {
		if _, err := p.Call(ctx, in); err != nil {
			return err
		}
		in.Text += "!"
		_, _ = p.Call(ctx, in)
		return nil
	})
	b.work()
	b.is(b.wait(b.enqueue()), runtime.StateDiscarded, runtime.ReasonPayloadMismatch, 1, 0)
	b.asked(1, 1)
	b.went(b.intent().Key, provider.StatePrepared, provider.StateConfirmed)
}

// Items are calls of their own; the same call twice is one.
func TestItems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := define(neither, b.api)
	runtime.RegisterAction(b.reg, notify, func(ctx runtime.Context, in message) error {
		for _, item := range []string{"a", "b", "a", ""} {
			in.Text = "to " + item
			receipt, err := p.Call(ctx, in, provider.Item(item))
			if err != nil {
				return err
			}
			if _, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO sent VALUES ($1, $2)`, item, receipt.ID); err != nil {
				return err
			}
		}
		return nil
	})
	b.work()
	b.is(b.wait(b.enqueue()), runtime.StateCompleted, "", 1, 0)
	b.asked(3, 3)
	if n := b.count(`SELECT count(DISTINCT receipt) FROM sent WHERE run_id = 'a'`); n != 1 {
		t.Errorf("the same call gave %d receipts", n)
	}
}

// What cannot be a key, a request or a receipt is an error for good; what was done before it showed is kept.
func TestWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		item, text, id string
		effects        int
	}{
		"item":    {item: strings.Repeat("x", 256)},
		"item 0":  {item: "a\x00"},
		"request": {text: "a\x00"},
		"receipt": {id: "a\x00", effects: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
				receipt, err := b.api.Send(ctx, key, m)
				receipt.ID += test.id
				return receipt, err
			})
			runtime.RegisterAction(b.reg, notify, func(ctx runtime.Context, in message) error {
				in.Text += test.text
				_, err := p.Call(ctx, in, provider.Item(test.item))
				return err
			})
			b.work()
			run := b.enqueue()
			b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 1, 0)
			must(b.client.Retry(context.Background(), run.ID, ""))(t)
			b.is(b.wait(run), runtime.StateDiscarded, runtime.ReasonPermanent, 2, 0)
			b.asked(test.effects, test.effects)
			if test.effects > 0 {
				b.went(b.intent().Key, provider.StatePrepared, provider.StateConfirmed)
			}
		})
	}
}

// Near its end the window counts as over: a request takes time to arrive, and clocks differ. What the call may still take
// comes on top.
func TestWindowIsLeftEarly(t *testing.T) {
	for name, test := range map[string]struct {
		left string
		opts []provider.Option
		sent int
	}{
		"a tenth, at most an hour": {left: "59 minutes", sent: 1},
		"before it":                {left: "62 minutes", sent: 2},
		"the margin given":         {left: "4 minutes", opts: []provider.Option{provider.WithMargin(5 * time.Minute)}, sent: 1},
		"before the margin given":  {left: "6 minutes", opts: []provider.Option{provider.WithMargin(5 * time.Minute)}, sent: 2},
		"what the attempt takes":   {left: "20 seconds", opts: []provider.Option{provider.WithMargin(time.Millisecond)}, sent: 1},
		"more than that":           {left: "40 seconds", opts: []provider.Option{provider.WithMargin(time.Millisecond)}, sent: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.ledger.Next(ledger.Hang)
			run := b.enqueue()
			c := b.spawn("window", "")
			b.eventually("the ledger has done it", func() bool { return b.ledger.Effects("") == 1 })
			c.kill()
			b.exec(`UPDATE idem.intents SET window_ends_at = now() + $1::interval, epoch = epoch + 1, actor = 'test', reason = 'time passes'`, test.left)
			b.expire(run)
			p := provider.Define("send_sms", func(ctx context.Context, key string, m message) (ledger.Receipt, error) {
				return b.api.Send(ctx, key, m)
			}, append(windowed.options(b.api), test.opts...)...)
			runtime.RegisterAction(b.reg, notify, notifier(p))
			b.work()
			if test.sent == 1 {
				b.is(b.waits(run), runtime.StatePending, runtime.ReasonWaiting, 1, 1)
			} else {
				b.completed(run, 1)
			}
			b.asked(test.sent, 1)
		})
	}
}
