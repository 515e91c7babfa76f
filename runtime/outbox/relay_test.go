package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
)

// Every form of a table goes out, with exactly the bytes that were queued, and once per command.
func TestFormsOfTables(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	payload := []byte{'{', 0, 0xff, '<', '}'}
	for name, form := range map[string]struct {
		relay newRelay
		table string
		queue func(b *bench, url string) error
		body  string
	}{
		"order and destination": {NewWebhookRelay, "webhook_outbox", func(b *bench, url string) error {
			return QueueWebhookTx(ctx, b.pool, "key", Webhook{URL: url, Customer: "ann", Kind: "paid", Payload: payload})
		}, string(payload)},
		"no body": {NewWebhookRelay, "webhook_outbox", func(b *bench, url string) error {
			return QueueWebhookTx(ctx, b.pool, "key", Webhook{URL: url, Customer: "", Kind: "paid"})
		}, ""},
		"destination": {NewPingRelay, "pings", func(b *bench, url string) error {
			return QueuePingTx(ctx, b.pool, "key", Ping{URL: url + "/x", N: 7})
		}, `{"url":"URL/x","n":7}`},
		"neither": {NewNoteRelay, "notes", func(b *bench, url string) error {
			return QueueNoteTx(ctx, b.pool, "key", Note{Text: "Grüße"})
		}, "Grüße"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, l := newBench(t), newLedger(t)
			for range 2 {
				if err := form.queue(b, l.URL); err != nil {
					t.Fatal(err)
				}
			}
			b.relay(form.relay, post(t, toLedger(l)), quick())
			b.settled(form.table, 1)
			got := b.only(form.table)
			if got.State != string(outbox.StateDelivered) || got.Attempts != 1 || string(got.Receipt) != `{"status":200,"body":"receipt of `+got.ID+`"}` {
				t.Errorf("the command is %+v", got)
			}
			l.is(t, 1, 1)
			if r := l.seen(got.ID); len(r) != 1 || string(r[0].Body) != replaceURL(form.body, l.URL) {
				t.Errorf("the receiver saw %+v", r)
			}
			if n := b.count(`SELECT count(*) FROM ` + form.table + ` WHERE receipt_digest = sha256(receipt)`); n != 1 {
				t.Error("the receipt's digest is not the receipt's")
			}
		})
	}
}

// While something is being sent, no transaction is open and no row is locked.
func TestNothingIsHeldWhileSending(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]struct {
		relay newRelay
		table string
		queue func(b *bench, key string) error
	}{
		"ordered": {NewWebhookRelay, "webhook_outbox", func(b *bench, key string) error {
			return QueueWebhookTx(context.Background(), b.pool, key, Webhook{URL: "http://a", Customer: key})
		}},
		"destination": {NewPingRelay, "pings", func(b *bench, key string) error {
			return QueuePingTx(context.Background(), b.pool, key, Ping{URL: "http://a"})
		}},
		"neither": {NewNoteRelay, "notes", func(b *bench, key string) error {
			return QueueNoteTx(context.Background(), b.pool, key, Note{Text: key})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			for i := range 4 {
				if err := form.queue(b, fmt.Sprint(i)); err != nil {
					t.Fatal(err)
				}
			}
			sender := newHold(outbox.SenderFunc(func(context.Context, outbox.Command) outbox.Outcome { return outbox.Confirmed(nil) }), 4)
			b.relay(form.relay, sender, quick())
			for range 4 {
				<-sender.waiting
			}
			time.Sleep(100 * time.Millisecond) // polls, which find nothing
			if n := b.count(`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idem relay' AND datname = current_database()`); n == 0 {
				t.Error("the relay has no connection")
			}
			// A poll has a transaction for a moment. What the sending holds, it holds until the release below.
			b.eventually("no transaction is open", func() bool {
				return b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
					AND (xact_start IS NOT NULL AND state <> 'active' OR state LIKE 'idle in transaction%' OR backend_xid IS NOT NULL)`) == 0
			})
			b.eventually("no lock is held on the table", func() bool {
				return b.count(`SELECT count(*) FROM pg_locks WHERE relation = $1::regclass AND pid <> pg_backend_pid()`, form.table) == 0
			})
			if n := b.count(`WITH free AS (SELECT 1 FROM ` + form.table + ` WHERE claim_expires_at IS NOT NULL FOR UPDATE NOWAIT) SELECT count(*) FROM free`); n != 4 {
				t.Errorf("%d claimed rows can be locked", n)
			}
			close(sender.release)
			b.settled(form.table, 4)
		})
	}
}

// A step's command exists exactly when the step completes, and its relay is told at once.
func TestCommandOfAStep(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	cfg := quick()
	cfg.Poll = time.Hour // only the notification can be why
	b.relay(NewWebhookRelay, post(t), cfg)
	time.Sleep(100 * time.Millisecond)

	reg := runtime.NewRegistry()
	node := runtime.NewAction[string]("charge", runtime.WithBackoff(time.Millisecond))
	var runs atomic.Int32
	runtime.RegisterAction(reg, node, func(ctx runtime.Context, url string) error {
		for _, kind := range []string{"paid", "booked", "paid"} {
			if err := QueueWebhook(ctx, Webhook{URL: url, Customer: "ann", Kind: kind, Payload: []byte(kind)}); err != nil {
				return err
			}
		}
		if runs.Add(1) == 1 {
			return errors.New("the first attempt fails")
		}
		return nil
	})
	w := must(runtime.NewWorker(b.pool, reg, runtime.Config{Poll: 20 * time.Millisecond, Logger: slog.New(slog.DiscardHandler)}))
	ctx, cancel := context.WithCancel(context.Background())
	done := errs(func() error { return w.Run(ctx) })
	t.Cleanup(func() { cancel(); <-done })

	run := must(node.Enqueue(ctx, runtime.NewClient(b.pool), l.URL))
	b.settled("webhook_outbox", 2)
	l.is(t, 2, 2)
	if runs.Load() != 2 {
		t.Errorf("%d runs", runs.Load())
	}
	if n := b.count(`SELECT count(*) FROM webhook_outbox WHERE run_id = $1 AND node = 'charge' AND attempts = 1`, run.ID); n != 2 {
		t.Errorf("%d commands of the run", n)
	}
	if first := l.seen("")[0]; string(first.Body) != "paid" {
		t.Errorf("the first command was %q", first.Body)
	}
}

// A command queued by a transaction is found by polling alone, and at once after Notify.
func TestPollingAndNotify(t *testing.T) {
	t.Parallel()
	t.Run("polling", func(t *testing.T) {
		t.Parallel()
		b, l := newBench(t), newLedger(t)
		cfg := quick()
		cfg.PollOnly = true
		b.relay(NewPingRelay, post(t), cfg)
		time.Sleep(100 * time.Millisecond)
		b.queuePing("one", l.URL, 1)
		b.settled("pings", 1)
	})
	t.Run("notify", func(t *testing.T) {
		t.Parallel()
		b, l := newBench(t), newLedger(t)
		cfg := quick()
		cfg.Poll = time.Hour
		b.relay(NewPingRelay, post(t), cfg)
		b.eventually("the relay listens", func() bool {
			return b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`) == 1
		})
		time.Sleep(100 * time.Millisecond)
		b.queuePing("one", l.URL, 1)
		if err := outbox.Notify(context.Background(), b.pool, "", `"pings"`); err != nil {
			t.Fatal(err)
		}
		b.settled("pings", 1)
	})
	t.Run("the listener's connection is cut", func(t *testing.T) {
		t.Parallel()
		b, l := newBench(t), newLedger(t)
		b.relay(NewPingRelay, post(t), quick())
		b.eventually("the relay listens", func() bool {
			return b.count(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`) == 1
		})
		b.queuePing("one", l.URL, 1)
		b.settled("pings", 1)
	})
}

// A stopping relay lets what is being sent finish, and gives back what waits, with the attempt.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	sender := newHold(post(t), 2)
	for i := range 10 {
		b.queuePing(fmt.Sprint(i), l.URL, i)
	}
	cfg := quick()
	cfg.PerDestination = 2
	cfg.Batch = 10
	stop := b.relay(NewPingRelay, sender, cfg)
	<-sender.waiting
	<-sender.waiting
	stopped := errs(func() error { stop(); return nil })
	b.eventually("what waits is given back", func() bool { return b.count(`SELECT count(*) FROM pings WHERE claim_expires_at IS NOT NULL`) == 2 })
	select {
	case <-stopped:
		t.Fatal("the relay did not wait for what is being sent")
	case <-time.After(100 * time.Millisecond):
	}
	close(sender.release)
	<-stopped
	l.is(t, 2, 2)
	if n := b.count(`SELECT count(*) FROM pings WHERE state = 'delivered' AND attempts = 1`); n != 2 {
		t.Errorf("%d delivered", n)
	}
	if n := b.count(`SELECT count(*) FROM pings WHERE state = 'pending' AND attempts = 0 AND claim_expires_at IS NULL AND first_attempt_at IS NULL AND next_attempt_at <= clock_timestamp()`); n != 8 {
		t.Errorf("%d given back", n)
	}
	b.relay(NewPingRelay, post(t), quick())
	b.settled("pings", 10)
	l.is(t, 10, 10)
}

// A send that outlasts the shutdown is cut off, and its outcome is unknown.
func TestStopCutsSendsOff(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.queuePing("one", "http://a", 1)
	begun := make(chan struct{})
	cfg := quick()
	cfg.Shutdown = 50 * time.Millisecond
	stop := b.relay(NewPingRelay, outbox.SenderFunc(func(ctx context.Context, _ outbox.Command) outbox.Outcome {
		close(begun)
		<-ctx.Done()
		return outbox.Unknown(ctx.Err())
	}), cfg)
	<-begun
	stop()
	if got := b.only("pings"); got.State != string(outbox.StatePending) || got.Attempts != 1 || !strings.Contains(got.Error, "canceled") {
		t.Errorf("the command is %+v", got)
	}
	if n := b.count(`SELECT count(*) FROM pings WHERE claim_expires_at IS NULL`); n != 1 {
		t.Error("the command is still claimed")
	}
}

// While a destination fails, it gets a few requests, and what waits for it burns no attempts.
func TestBreaker(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	var works atomic.Bool
	l.answer = func(int, request) int {
		if works.Load() {
			return 0
		}
		return 503
	}
	const n = 60
	for i := range n {
		b.queuePing(fmt.Sprint(i), l.URL, i)
	}
	cfg := quick()
	cfg.BreakAfter, cfg.BreakFor, cfg.PerDestination = 3, 300*time.Millisecond, 2
	b.relay(NewPingRelay, post(t), cfg)
	b.eventually("the breaker has opened twice", func() bool { return len(b.events.of(outbox.EventOpened)) >= 2 })
	if seen := len(l.seen("")); seen > 8 {
		t.Errorf("a failing destination got %d requests", seen)
	}
	works.Store(true)
	b.settled("pings", n)
	b.observed(outbox.EventClosed, 1)
	if sent := b.count(`SELECT sum(attempts) FROM pings`); sent != len(l.seen("")) {
		t.Errorf("%d sends recorded, %d requests seen", sent, len(l.seen("")))
	}
}

// More destinations and keys than a claim takes: everybody has his turn.
func TestManyLanes(t *testing.T) {
	t.Parallel()
	const lanes, each = 60, 5
	cfg := quick()
	cfg.Batch, cfg.PerDestination = 7, 2
	t.Run("destinations", func(t *testing.T) {
		t.Parallel()
		b, l := newBench(t), newLedger(t)
		for i := range lanes * each {
			b.queuePing(fmt.Sprint(i), fmt.Sprintf("%s/%d", l.URL, i%lanes), i)
		}
		b.relay(NewPingRelay, post(t), cfg)
		b.settled("pings", lanes*each)
		l.is(t, lanes*each, lanes*each)
	})
	t.Run("keys", func(t *testing.T) {
		t.Parallel()
		b, l := newBench(t), newLedger(t)
		for i := range lanes * each {
			w := Webhook{URL: l.URL, Customer: fmt.Sprint(i % lanes), Payload: fmt.Append(nil, i)}
			if err := QueueWebhookTx(context.Background(), b.pool, fmt.Sprint(i), w); err != nil {
				t.Fatal(err)
			}
		}
		b.relay(NewWebhookRelay, post(t), cfg)
		b.settled("webhook_outbox", lanes*each)
		l.is(t, lanes*each, lanes*each)
		last := map[int]int{}
		for _, r := range l.seen("") {
			i := must(strconv.Atoi(string(r.Body)))
			if before, seen := last[i%lanes]; seen && i != before+lanes {
				t.Errorf("%d came after %d", i, before)
			}
			last[i%lanes] = i
		}
	})
}

// What the relay asks for works in each of pgx's modes.
func TestQueryModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			b, l := newBench(t), newLedger(t)
			cfg := b.pool.Config()
			cfg.ConnConfig.DefaultQueryExecMode = mode
			pool := must(pgxpool.NewWithConfig(context.Background(), cfg))
			t.Cleanup(pool.Close)
			l.answer = func(n int, _ request) int { return map[int]int{1: 500}[n] }
			for _, key := range []string{"a", "b"} {
				if err := errors.Join(
					QueuePingTx(context.Background(), pool, key, Ping{URL: l.URL}),
					QueueWebhookTx(context.Background(), pool, key, Webhook{URL: l.URL, Customer: key, Payload: []byte{0, 0xff}}),
					QueueNoteTx(context.Background(), pool, key, Note{Text: key}),
				); err != nil {
					t.Fatal(err)
				}
			}
			rc := quick()
			rc.Pooler = true
			sender := post(t, toLedger(l))
			b.relayOn(pool, NewPingRelay, sender, rc)
			b.relayOn(pool, NewWebhookRelay, sender, rc)
			b.relayOn(pool, NewNoteRelay, sender, rc)
			for _, table := range []string{"pings", "webhook_outbox", "notes"} {
				b.settled(table, 2)
			}
			l.is(t, 12, 6)
		})
	}
}

// What is in the table when the relay starts goes out at the pace of the receivers, however much it is: no pause
// of the polling is in between.
func TestBacklogNeedsNoPolling(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]struct {
		relay newRelay
		table string
		queue func(db outbox.DB, i int) error
	}{
		"one destination": {NewPingRelay, "pings", func(db outbox.DB, i int) error {
			return QueuePingTx(context.Background(), db, fmt.Sprint(i), Ping{URL: "http://a", N: i})
		}},
		"destinations": {NewPingRelay, "pings", func(db outbox.DB, i int) error {
			return QueuePingTx(context.Background(), db, fmt.Sprint(i), Ping{URL: fmt.Sprint("http://", i%9), N: i})
		}},
		"neither": {NewNoteRelay, "notes", func(db outbox.DB, i int) error {
			return QueueNoteTx(context.Background(), db, fmt.Sprint(i), Note{Text: fmt.Sprint(i)})
		}},
		"ordered": {NewWebhookRelay, "webhook_outbox", func(db outbox.DB, i int) error {
			return QueueWebhookTx(context.Background(), db, fmt.Sprint(i), Webhook{URL: "http://a", Customer: fmt.Sprint(i % 50)})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			const n = 1500
			err := pgx.BeginFunc(context.Background(), b.pool, func(tx pgx.Tx) (err error) {
				for i := 0; i < n && err == nil; i++ {
					err = form.queue(tx, i)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			cfg := claimsOnce(b.events)
			cfg.Batch = 100
			b.relay(form.relay, outbox.SenderFunc(func(_ context.Context, c outbox.Command) outbox.Outcome {
				time.Sleep(time.Duration(c.ID[len(c.ID)-1]%3) * time.Millisecond)
				return outbox.Confirmed(nil)
			}), cfg)
			b.settled(form.table, n)
			if sent := b.count(`SELECT sum(attempts) FROM ` + form.table); sent != n {
				t.Errorf("%d sends of %d commands", sent, n)
			}
		})
	}
}
