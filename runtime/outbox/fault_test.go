package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

// hold makes a sender that stops in front of a real one until it is let go, for its first n sends.
type hold struct {
	outbox.Sender
	n       atomic.Int32
	waiting chan outbox.Command
	release chan struct{}
}

func newHold(s outbox.Sender, n int) *hold {
	h := &hold{Sender: s, waiting: make(chan outbox.Command, 100), release: make(chan struct{})}
	h.n.Store(int32(n))
	return h
}

func (h *hold) Send(ctx context.Context, c outbox.Command) outbox.Outcome {
	if h.n.Add(-1) >= 0 {
		h.waiting <- c
		<-h.release
		ctx = context.WithoutCancel(ctx) // a zombie does not keep to its time
	}
	return h.Sender.Send(ctx, c)
}

// claimsOnce is for a relay that does not poll: it claims when it starts, and then only as long as there is more.
func claimsOnce(events *recorder) outbox.Config {
	cfg := quick()
	cfg.Poll, cfg.PollOnly, cfg.Observer = time.Hour, true, events
	return cfg
}

// Two relays; the first one stalls past its lease, and comes back when the second has delivered.
func TestF49_ZombieMarksLate(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	b.queuePing("one", l.URL, 1)
	zombie := newHold(post(t), 1)
	first := &recorder{}
	b.relay(NewPingRelay, zombie, claimsOnce(first))
	<-zombie.waiting
	b.exec(`UPDATE pings SET next_attempt_at = now(), claim_expires_at = now()`)
	b.relay(NewPingRelay, post(t), quick())
	b.settled("pings", 1)
	winner := b.only("pings")
	l.header.Set("X-Second", "answer")
	close(zombie.release)
	b.eventually("the zombie has noticed", func() bool { return len(first.of(outbox.EventLate)) == 1 })
	after := b.only("pings")
	if after.State != string(outbox.StateDelivered) || after.Attempts != 2 || string(after.Receipt) != string(winner.Receipt) {
		t.Errorf("before the zombie's mark %+v, after it %+v", winner, after)
	}
	if n := len(first.of(outbox.EventDelivered)); n != 0 {
		t.Errorf("the zombie reports %d deliveries", n)
	}
	l.is(t, 2, 1)
}

// A zombie that fails late does not send back to pending what has been delivered.
func TestF49_ZombieFailsLate(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	b.queuePing("one", l.URL, 1)
	zombie := newHold(outbox.SenderFunc(func(context.Context, outbox.Command) outbox.Outcome { return outbox.Unknown(errors.New("late")) }), 1)
	first := &recorder{}
	b.relay(NewPingRelay, zombie, claimsOnce(first))
	<-zombie.waiting
	b.exec(`UPDATE pings SET next_attempt_at = now(), claim_expires_at = now()`)
	stop := b.relay(NewPingRelay, post(t), quick())
	b.settled("pings", 1)
	stop()
	close(zombie.release)
	b.eventually("the zombie has noticed", func() bool { return len(first.of(outbox.EventLate)) == 1 })
	if got := b.only("pings"); got.State != string(outbox.StateDelivered) || got.Error != "" {
		t.Errorf("the command is %+v", got)
	}
}

func TestF49_ManyRelays(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	const n = 400
	for i := range n {
		b.queuePing(fmt.Sprint(i), l.URL+"/"+fmt.Sprint(i%7), i)
	}
	for range 5 {
		b.relay(NewPingRelay, post(t), quick())
	}
	b.settled("pings", n)
	if sent := b.count(`SELECT sum(attempts) FROM pings WHERE state = 'delivered' AND receipt IS NOT NULL`); sent != n {
		t.Errorf("%d sends are recorded for %d commands", sent, n)
	}
	l.is(t, n, n)
}

// answers runs one command against a receiver that answers the n-th request with the n-th status, and then takes it.
func answers(t *testing.T, cfg outbox.Config, statuses ...int) (*bench, *ledger, row) {
	t.Helper()
	b, l := newBench(t), newLedger(t)
	l.answer = func(n int, _ request) int {
		if n <= len(statuses) {
			return statuses[n-1]
		}
		return 0
	}
	b.queuePing("one", l.URL, 1)
	b.relay(NewPingRelay, post(t), cfg)
	b.settled("pings", 1)
	return b, l, b.only("pings")
}

// The receiver takes the command and its answer is lost: sent again under the same id, it is still one effect.
func TestF51_AnswerLost(t *testing.T) {
	t.Parallel()
	b, l, got := answers(t, quick(), dropAnswer, dropAnswer)
	if got.State != string(outbox.StateDelivered) || got.Attempts != 3 {
		t.Errorf("the command is %+v", got)
	}
	b.observed(outbox.EventRetried, 2)
	l.is(t, 3, 1)
	if len(l.seen(got.ID)) != 3 {
		t.Error("the id changed between sends")
	}
}

func TestF52_Rejected(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 404, 410, 413, 418} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			b, l, got := answers(t, quick(), status)
			if got.State != string(outbox.StateRejected) || got.Attempts != 1 || !strings.Contains(string(got.Receipt), fmt.Sprintf(`"status":%d`, status)) {
				t.Errorf("the command is %+v", got)
			}
			time.Sleep(100 * time.Millisecond) // polls
			l.is(t, 1, 0)
			b.observed(outbox.EventRejected, 1)
		})
	}
}

func TestF53_InProgress(t *testing.T) {
	t.Parallel()
	_, l, got := answers(t, quick(), 409, 409, 425, 408, 500, 502, 504)
	if got.State != string(outbox.StateDelivered) || got.Attempts != 8 || len(l.seen(got.ID)) != 8 {
		t.Errorf("the command is %+v after %d requests", got, len(l.seen("")))
	}
	l.is(t, 8, 1)
}

func TestF54_OtherPayloadUnderTheID(t *testing.T) {
	t.Parallel()
	b, l, got := answers(t, quick(), 422)
	time.Sleep(100 * time.Millisecond)
	if got.State != string(outbox.StateQuarantined) || got.Attempts != 1 {
		t.Errorf("the command is %+v", got)
	}
	b.observed(outbox.EventQuarantined, 1)
	l.is(t, 1, 0)
}

func TestF55_RetryAfter(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			b, l := newBench(t), newLedger(t)
			l.header.Set("Retry-After", "1")
			l.answer = func(_ int, r request) int {
				if len(l.seen("")) == 1 {
					return status
				}
				return 0
			}
			b.queuePing("first", l.URL, 1)
			b.relay(NewPingRelay, post(t), quick())
			b.eventually("the receiver has asked for peace", func() bool { return len(b.events.of(outbox.EventRetried)) == 1 })
			for i := range 20 { // the others of this destination wait too
				b.queuePing(fmt.Sprint(i), l.URL, i)
			}
			b.settled("pings", 21)
			l.is(t, 22, 21)
			asked := l.seen("")[0].At
			for _, r := range l.seen("")[1:] {
				if pause := r.At.Sub(asked); pause < time.Second {
					t.Errorf("a request came %v after the receiver had asked for a second of peace", pause)
				}
			}
			if n := b.count(`SELECT sum(attempts) FROM pings`); n != 22 {
				t.Errorf("%d attempts recorded for 22 requests", n)
			}
		})
	}
}

// Also the command's own next send is put off, for relays that do not know what this one was told.
func TestF55_RetryAfterIsStored(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	l.header.Set("Retry-After", "3600")
	l.answer = func(int, request) int { return 429 }
	b.queuePing("one", l.URL, 1)
	b.relay(NewPingRelay, post(t), quick())
	b.observed(outbox.EventRetried, 1)
	if n := b.count(`SELECT count(*) FROM pings WHERE state = 'pending' AND next_attempt_at BETWEEN now() + interval '59 minutes' AND now() + interval '61 minutes'`); n != 1 {
		t.Error("the next send is not put off by an hour")
	}
	b.relay(NewPingRelay, post(t), quick())
	time.Sleep(100 * time.Millisecond)
	l.is(t, 1, 0)
}

func TestF55_RetryAfterIsClamped(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	l.header.Set("Retry-After", "99999999999999999999999")
	l.answer = func(n int, _ request) int { return map[int]int{1: 429}[n] }
	b.queuePing("one", l.URL, 1)
	cfg := quick()
	cfg.MaxRetryAfter = 200 * time.Millisecond
	b.relay(NewPingRelay, post(t), cfg)
	b.settled("pings", 1)
	l.is(t, 2, 1)
	if pause := l.seen("")[1].At.Sub(l.seen("")[0].At); pause < 200*time.Millisecond {
		t.Errorf("sent again after %v", pause)
	}
}

func TestF57_RedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := newLedger(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			b, l := newBench(t), newLedger(t)
			l.header.Set("Location", elsewhere.URL+"/stolen")
			l.answer = func(int, request) int { return status }
			b.queuePing("one", l.URL, 1)
			b.relay(NewPingRelay, post(t, func(c *httpsender.Config) {
				c.Header = func(outbox.Command) http.Header { return http.Header{"Authorization": {"Bearer s3cret"}} }
			}), quick())
			b.settled("pings", 1)
			if got := b.only("pings"); got.State != string(outbox.StateParked) || got.Attempts != 1 || !strings.Contains(got.Error, "redirects are not followed") {
				t.Errorf("the command is %+v", got)
			}
			l.is(t, 1, 0)
			if l.seen("")[0].Header.Get("Authorization") == "" {
				t.Error("the header was not even sent to where it belongs")
			}
			b.observed(outbox.EventParked, 1)
		})
	}
	elsewhere.is(t, 0, 0)
}

// Names that resolve to this machine, and addresses of it in every dress: nothing arrives.
func TestF60_TargetForbidden(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	port := l.URL[strings.LastIndex(l.URL, ":"):]
	targets := []string{
		l.URL, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port, "http://[::1]" + port, "http://0.0.0.0" + port, "http://[::]" + port,
		"http://169.254.169.254/latest/meta-data", "http://10.0.0.1" + port, "https://192.168.1.1", "ftp://127.0.0.1", "/hook", "", "http://user:pass@127.0.0.1" + port,
		"http://[64:ff9b::7f00:1]" + port, "http://2130706433" + port, "http://127.1" + port,
	}
	for i, to := range targets {
		b.queuePing(fmt.Sprint(i), to, i)
	}
	sender := must(httpsender.New(httpsender.Config{AllowHTTP: true, Timeout: time.Second}))
	cfg := quick()
	cfg.MaxAttempts = 1 // what is no address at all is a name that cannot be resolved
	b.relay(NewPingRelay, sender, cfg)
	b.settled("pings", len(targets))
	for _, got := range b.rows("pings") {
		forbidden := got.State == string(outbox.StateRejected) && strings.HasPrefix(got.Error, "target_forbidden: ")
		unresolved := got.State == string(outbox.StateDead) && strings.Contains(got.Error, "not resolved")
		if !forbidden && !unresolved {
			t.Errorf("%+v", got)
		}
	}
	if n := b.count(`SELECT count(*) FROM pings WHERE state = 'rejected'`); n < len(targets)-2 {
		t.Errorf("only %d of %d were refused", n, len(targets))
	}
	l.is(t, 0, 0)
}

// Nothing is sent again by itself once the receiver may have forgotten the id, whichever relay finds it.
func TestF62_PastTheWindow(t *testing.T) {
	t.Parallel()
	t.Run("after a send", func(t *testing.T) {
		t.Parallel()
		cfg := quick()
		cfg.Window, cfg.Backoff, cfg.MaxBackoff = time.Hour, 2*time.Hour, 2*time.Hour
		b, l, got := answers(t, cfg, dropAnswer)
		if got.State != string(outbox.StateDead) || got.Attempts != 1 || !strings.Contains(got.Error, "forgotten") {
			t.Errorf("the command is %+v", got)
		}
		b.observed(outbox.EventDead, 1)
		l.is(t, 1, 1)
	})
	t.Run("after a crash", func(t *testing.T) {
		t.Parallel()
		b, l := newBench(t), newLedger(t)
		b.queuePing("sent", l.URL, 1)
		b.queuePing("never sent", l.URL, 2)
		b.exec(`UPDATE pings SET created_at = now() - interval '2 days'`)
		b.exec(`UPDATE pings SET attempts = 1, claim_epoch = 1, first_attempt_at = now() - interval '1 day' WHERE n = 1`)
		cfg := quick()
		cfg.Window = 24 * time.Hour
		b.relay(NewPingRelay, post(t), cfg)
		b.settled("pings", 2)
		l.is(t, 1, 1)
		if n := b.count(`SELECT count(*) FROM pings WHERE n = 1 AND state = 'dead' AND attempts = 1 OR n = 2 AND state = 'delivered'`); n != 2 {
			t.Errorf("%+v", b.rows("pings"))
		}
	})
}

// A poison command, a slow destination, and a thousand that are neither.
func TestF64_PoisonAndSlowDelayNobodyElse(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	slow := make(chan struct{})
	l.answer = func(_ int, r request) int {
		switch {
		case strings.Contains(string(r.Body), `"n":666`):
			return 500
		case r.Path == "/slow":
			<-slow
		}
		return 0
	}
	t.Cleanup(l.CloseClientConnections)
	const n = 1000
	for i := range 300 { // older than all others
		b.queuePing(fmt.Sprint("slow", i), l.URL+"/slow", i)
	}
	b.queuePing("poison", l.URL+"/0", 666)
	for i := range n {
		b.queuePing(fmt.Sprint(i), l.URL+"/"+fmt.Sprint(i%10), 1000+i)
	}
	cfg := quick()
	cfg.Concurrency, cfg.PerDestination, cfg.MaxAttempts = 16, 4, 6
	b.relay(NewPingRelay, post(t), cfg)
	b.eventually("all others are delivered", func() bool {
		return b.count(`SELECT count(*) FROM pings WHERE state = 'delivered' AND n >= 1000`) == n
	})
	if got := b.count(`SELECT count(*) FROM pings WHERE claim_expires_at IS NOT NULL`); got > 16 {
		t.Errorf("%d commands of a slow destination are held by the relay", got)
	}
	b.eventually("the poison is given up", func() bool {
		return b.count(`SELECT count(*) FROM pings WHERE state = 'dead' AND n = 666 AND attempts = 6`) == 1
	})
	b.eventually("there is an alarm", func() bool { return len(b.events.of(outbox.EventDead)) == 1 })
	close(slow)
	b.settled("pings", n+301)
	l.is(t, n+300+6, n+300)
}

// A key's order holds while its head fails, and only this key waits.
func TestF64_OrderedKeyWithFailingHead(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	l.answer = func(n int, r request) int {
		if string(r.Body) == "bad 0" && n <= 3 {
			return 500
		}
		return 0
	}
	const keys, each = 12, 8
	for i := range each {
		for k := range keys {
			customer := fmt.Sprint("key", k)
			if k == 0 {
				customer = "bad"
			}
			err := QueueWebhookTx(context.Background(), b.pool, "key", Webhook{
				URL: l.URL, Customer: customer, Kind: fmt.Sprint(customer, i), Payload: fmt.Appendf(nil, "%s %d", customer, i),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	cfg := quick()
	cfg.Backoff, cfg.MaxBackoff, cfg.BreakAfter = 300*time.Millisecond, 300*time.Millisecond, 100
	for range 3 {
		b.relay(NewWebhookRelay, post(t), cfg)
	}
	b.eventually("the other keys are through", func() bool {
		return b.count(`SELECT count(*) FROM webhook_outbox WHERE state = 'delivered' AND customer <> 'bad'`) == (keys-1)*each
	})
	if n := b.count(`SELECT count(*) FROM webhook_outbox WHERE customer = 'bad' AND state = 'delivered'`); n > 0 {
		t.Log("the failing key was already through; the machine is slow")
	}
	b.settled("webhook_outbox", keys*each)
	l.is(t, keys*each+3, keys*each)
	last := map[string]int{}
	for _, r := range l.seen("") {
		var key string
		var i int
		if _, err := fmt.Sscanf(string(r.Body), "%s %d", &key, &i); err != nil {
			t.Fatal(err)
		}
		if next, seen := last[key]; seen && i != next+1 && (key != "bad" || i != 0) {
			t.Errorf("%s %d came after %d", key, i, next)
		}
		last[key] = i
	}
}

// A head that is given up does not block its key for ever.
func TestF64_DeadHeadLetsItsKeyGoOn(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	l.answer = func(_ int, r request) int {
		if string(r.Body) == "0" {
			return 500
		}
		return 0
	}
	for i := range 3 {
		err := QueueWebhookTx(context.Background(), b.pool, "key", Webhook{URL: l.URL, Customer: "ann", Kind: fmt.Sprint(i), Payload: fmt.Append(nil, i)})
		if err != nil {
			t.Fatal(err)
		}
	}
	cfg := quick()
	cfg.MaxAttempts = 3
	b.relay(NewWebhookRelay, post(t), cfg)
	b.settled("webhook_outbox", 3)
	var bodies []string
	for _, r := range l.seen("") {
		bodies = append(bodies, string(r.Body))
	}
	if !slices.Equal(bodies, []string{"0", "0", "0", "1", "2"}) {
		t.Errorf("the receiver saw %v", bodies)
	}
}

func TestF65_LowerIDCommitsLater(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]struct {
		table string
		relay newRelay
		queue func(db outbox.DB, url, key string) error
	}{
		"ordered": {"webhook_outbox", NewWebhookRelay, func(db outbox.DB, url, key string) error {
			return QueueWebhookTx(context.Background(), db, key, Webhook{URL: url, Customer: "ann", Payload: []byte(key)})
		}},
		"not ordered": {"pings", NewPingRelay, func(db outbox.DB, url, key string) error {
			return QueuePingTx(context.Background(), db, key, Ping{URL: url})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, l := newBench(t), newLedger(t)
			b.relay(form.relay, post(t), quick())
			early := must(b.pool.Begin(context.Background()))
			if err := form.queue(early, l.URL, "lower"); err != nil {
				t.Fatal(err)
			}
			if err := form.queue(b.pool, l.URL, "higher"); err != nil {
				t.Fatal(err)
			}
			b.settled(form.table, 1)
			if err := early.Commit(context.Background()); err != nil {
				t.Fatal(err)
			}
			b.settled(form.table, 2)
			l.is(t, 2, 2)
		})
	}
}
