package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
)

func TestF69_RetentionShorterThanTheReplayWindow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, r := range []outbox.Retention{
		{Keep: time.Hour, ReplayWindow: 2 * time.Hour}, {Keep: time.Hour},
	} {
		if _, err := NewPingRelay(b.pool, post(t), outbox.Config{Retention: r}); !errors.Is(err, outbox.ErrRetention) {
			t.Errorf("relay with %+v: %v", r, err)
		}
		if _, err := outbox.NewInbox(b.pool, "c", outbox.InboxConfig{Retention: r}); !errors.Is(err, outbox.ErrRetention) {
			t.Errorf("inbox with %+v: %v", r, err)
		}
	}
}

// finished fills pings with n finished commands of each state, old and new.
func (b *bench) finished(n int) {
	b.Helper()
	b.exec(`INSERT INTO pings (url, n, body, command_id, run_id, node, payload_digest, state, receipt, finished_at)
SELECT 'http://a', i, '', s || age || i, '', '', sha256(''), s, '', now() - age * interval '1 hour'
FROM generate_series(1, $1::integer) i, unnest('{delivered,rejected,dead,quarantined,parked}'::text[]) s, unnest('{1,30}'::integer[]) age`, n)
}

func TestF69_PurgeInBatches(t *testing.T) {
	t.Parallel()
	for _, archive := range []string{"", `"pings_archive"`} {
		t.Run("archive "+archive, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.exec(`CREATE TABLE pings_archive (LIKE pings)`)
			b.finished(23)
			b.queuePing("pending", "http://a", 1)
			b.exec(`UPDATE pings SET created_at = now() - interval '1 year', next_attempt_at = now() + interval '1 day' WHERE state = 'pending'`)
			cfg := quick()
			cfg.Retention = outbox.Retention{Keep: 24 * time.Hour, ReplayWindow: 24 * time.Hour, Archive: archive, Batch: 10}
			b.relay(NewPingRelay, post(t), cfg)
			b.eventually("old evidence is removed", func() bool { return len(b.events.of(outbox.EventPurged)) == 1 })
			if e := b.events.of(outbox.EventPurged)[0]; e.Count != 46 {
				t.Errorf("%d were removed", e.Count)
			}
			if n := b.count(`SELECT count(*) FROM pings`); n != 230-46+1 {
				t.Errorf("%d are left", n)
			}
			if n := b.count(`SELECT count(*) FROM pings WHERE state IN ('delivered', 'rejected') AND finished_at < now() - interval '1 day'`); n != 0 {
				t.Errorf("%d old ones are left", n)
			}
			want := 0
			if archive != "" {
				want = 46
			}
			if n := b.count(`SELECT count(*) FROM pings_archive`); n != want {
				t.Errorf("%d were archived", n)
			}
		})
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	var works atomic.Bool
	l.answer = func(int, request) int {
		if works.Load() {
			return 0
		}
		return 500
	}
	b.queuePing("one", l.URL, 1)
	cfg := quick()
	cfg.MaxAttempts = 2
	b.relay(NewPingRelay, post(t), cfg)
	b.settled("pings", 1)
	dead := b.only("pings")
	if dead.State != string(outbox.StateDead) {
		t.Fatalf("the command is %+v", dead)
	}
	works.Store(true)
	ctx := context.Background()
	replay := func(change func(*outbox.ReplayRequest)) []string {
		t.Helper()
		q := outbox.ReplayRequest{Table: "pings", IDs: []string{dead.ID, "unknown"}, Actor: "ann", Reason: "the receiver was down"}
		change(&q)
		return must(outbox.Replay(ctx, b.pool, q))
	}
	for _, q := range []outbox.ReplayRequest{{Table: "pings", Actor: "ann"}, {Table: "pings", Reason: "x"}, {Actor: "a", Reason: "b"}} {
		if _, err := outbox.Replay(ctx, b.pool, q); err == nil {
			t.Errorf("%+v was accepted", q)
		}
	}
	b.exec(`UPDATE pings SET first_attempt_at = now() - interval '2 hours'`)
	if ids := replay(func(q *outbox.ReplayRequest) { q.Window = time.Hour }); len(ids) != 0 {
		t.Errorf("replayed past the window: %v", ids)
	}
	if ids := replay(func(q *outbox.ReplayRequest) { q.Window, q.PastWindow = time.Hour, true }); !slices.Equal(ids, []string{dead.ID}) {
		t.Errorf("replayed %v", ids)
	}
	b.settled("pings", 1)
	if got := b.only("pings"); got.State != string(outbox.StateDelivered) || got.ID != dead.ID || got.Attempts != 1 {
		t.Errorf("the command is %+v", got)
	}
	l.is(t, 3, 1)
	if n := b.count(`SELECT count(*) FROM idem.outbox_events WHERE outbox = '"pings"' AND command_id = $1 AND event = 'replayed' AND actor = 'ann'
		AND reason = 'the receiver was down' AND state_before = 'dead' AND error_before LIKE '%500%'`, dead.ID); n != 1 {
		t.Error("the replay is not in the events")
	}
	if ids := replay(func(*outbox.ReplayRequest) {}); len(ids) != 0 {
		t.Error("a delivered command was replayed without asking")
	}
	if ids := replay(func(q *outbox.ReplayRequest) { q.Delivered = true }); len(ids) != 1 {
		t.Error("a delivered command was not replayed")
	}
	b.settled("pings", 1)
	l.is(t, 4, 1) // the receiver honours the id
}

// A replay ends the claim of whoever still sends the command.
func TestReplayFencesZombies(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	b.queuePing("one", l.URL, 1)
	zombie := newHold(post(t), 1)
	events := &recorder{}
	b.relay(NewPingRelay, zombie, claimsOnce(events))
	c := <-zombie.waiting
	b.exec(`UPDATE pings SET state = 'dead', finished_at = now(), claim_expires_at = NULL`)
	if ids := must(outbox.Replay(context.Background(), b.pool, outbox.ReplayRequest{Table: "public.pings", IDs: []string{c.ID}, Actor: "ann", Reason: "x"})); len(ids) != 1 {
		t.Fatal(ids)
	}
	close(zombie.release)
	b.eventually("the zombie has noticed", func() bool { return len(events.of(outbox.EventLate)) == 1 })
	if got := b.only("pings"); got.State != string(outbox.StatePending) || got.Attempts != 0 {
		t.Errorf("the command is %+v", got)
	}
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 3 {
		b.queuePing(fmt.Sprint(i), "http://a", i)
	}
	b.finished(2)
	b.exec(`UPDATE pings SET created_at = now() - interval '1 hour', next_attempt_at = now() + interval '1 hour' WHERE n <> 2 OR state <> 'pending'`)
	b.exec(`UPDATE pings SET next_attempt_at = now() + interval '1 hour'`)
	b.relay(NewPingRelay, post(t), quick())
	b.eventually("the backlog is told", func() bool { return len(b.events.of(outbox.EventBacklog)) > 0 })
	if e := b.events.of(outbox.EventBacklog)[0]; e.Count != 3 || e.Age < time.Hour || e.Age > time.Hour+time.Minute || e.Table != `"pings"` {
		t.Errorf("backlog %+v", e)
	}
}

func TestConfigThatWouldMakeDuplicates(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for want, cfg := range map[string]outbox.Config{
		"half of Lease": {SendTimeout: 31 * time.Second, Lease: time.Minute},
		"MaxBackoff":    {Backoff: time.Hour, MaxBackoff: time.Minute},
		"Poll":          {Poll: -1},
		"Batch":         {Batch: -1},
	} {
		if _, err := NewPingRelay(b.pool, post(t), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if _, err := NewPingRelay(b.pool, nil, outbox.Config{}); err == nil {
		t.Error("a relay without a sender")
	}
	if _, err := outbox.NewRelay(b.pool, &outbox.Table{}, post(t), outbox.Config{}); err == nil || !strings.Contains(err.Error(), "idem generate") {
		t.Errorf("an empty descriptor: %v", err)
	}
	b.exec(`DROP TABLE pings`)
	r := must(NewPingRelay(b.pool, post(t), outbox.Config{}))
	if err := r.Run(context.Background()); err == nil || !strings.Contains(err.Error(), `"pings"`) {
		t.Errorf("without its table: %v", err)
	}
	if err := r.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "once") {
		t.Errorf("the second run: %v", err)
	}
}

// Queueing again changes nothing, with another payload it fails closed, and ids are told apart by key and item.
func TestQueueTx(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := context.Background()
	queue := func(key string, w Webhook) error { return QueueWebhookTx(ctx, b.pool, key, w) }
	w := Webhook{URL: "http://a", Customer: "ann", Kind: "paid", Payload: []byte("1")}
	other := w
	other.Kind = "booked"
	if err := errors.Join(queue("k", w), queue("k", w), queue("k", other), queue("k2", w)); err != nil {
		t.Fatal(err)
	}
	if n := b.count(`SELECT count(*) FROM webhook_outbox`); n != 3 {
		t.Errorf("%d commands", n)
	}
	changed := w
	changed.Payload = []byte("2")
	var mismatch *runtime.MismatchError
	if err := queue("k", changed); !errors.As(err, &mismatch) || mismatch.Table != `"webhook_outbox"` {
		t.Errorf("another payload: %v", err)
	}
	if err := queue("", w); err == nil {
		t.Error("a command without a key")
	}
	if n := b.count(`SELECT count(*) FROM webhook_outbox WHERE payload = '1'`); n != 3 {
		t.Errorf("%d commands as they were", n)
	}
}

// seeing keeps the SQL that it is asked.
type seeing struct{ sql string }

func (s *seeing) Query(_ context.Context, sql string, _ ...any) (pgx.Rows, error) {
	s.sql = sql
	return nil, errors.New("seen")
}

// A schema may have any name, also that which stands for the table in SQL.
func TestReplayInASchemaOfAnyName(t *testing.T) {
	t.Parallel()
	var db seeing
	_, _ = outbox.Replay(context.Background(), &db, outbox.ReplayRequest{Schema: "outbox", Table: "idem.pings", IDs: []string{"a"}, Actor: "ann", Reason: "x"})
	for _, part := range []string{`INSERT INTO "outbox".outbox_events`, `FROM "idem"."pings"`, `UPDATE "idem"."pings"`} {
		if !strings.Contains(db.sql, part) {
			t.Errorf("%q is not in\n%s", part, db.sql)
		}
	}
}
