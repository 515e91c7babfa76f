package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/wire"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
	"github.com/idem-go/idem/runtime/pgtest"
)

// cutBench is a bench whose relay reaches the database through a proxy.
func cutBench(t *testing.T) (*bench, *wire.Proxy, *pgxpool.Pool) {
	t.Helper()
	server := pgtest.Own(t, pgtest.TCP(), pgtest.Private())
	url := must(server.NewDatabase(context.Background(), pgtest.Migrated("outbox", migrate)))
	pool := must(pgxpool.New(context.Background(), url))
	t.Cleanup(pool.Close)
	p := wire.Start(t, url)
	through := must(pgxpool.New(context.Background(), p.URL()))
	t.Cleanup(through.Close)
	return &bench{TB: t, pool: pool, events: &recorder{}}, p, through
}

const markStatement = "receipt_digest = sha256"

// The mark is committed and its answer lost, or never arrives: the command is delivered, and sent once.
func TestF48_ReceiptCut(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*wire.Proxy) *wire.Cut{
		"reply":   func(p *wire.Proxy) *wire.Cut { return p.CutReply(wire.Statement(markStatement)) },
		"request": func(p *wire.Proxy) *wire.Cut { return p.CutRequest(wire.Statement(markStatement)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, p, through := cutBench(t)
			l := newLedger(t)
			c := cut(p)
			b.queuePing("one", l.URL, 1)
			b.relayOn(through, NewPingRelay, post(t), quick())
			<-c.Fired()
			b.eventually("the delivery is observed", func() bool { return len(b.events.of(outbox.EventDelivered)) == 1 })
			if got := b.only("pings"); got.State != string(outbox.StateDelivered) || got.Attempts != 1 {
				t.Errorf("the command is %+v", got)
			}
			if late := b.events.of(outbox.EventLate); len(late) != 0 {
				t.Error("the relay took its own mark for somebody else's")
			}
			l.is(t, 1, 1)
		})
	}
}

// A claim whose answer is lost is committed: its commands wait for the lease, and are then sent once.
func TestF47_ClaimCut(t *testing.T) {
	t.Parallel()
	b, p, through := cutBench(t)
	l := newLedger(t)
	c := p.CutReply(wire.Statement(`UPDATE "pings"`))
	b.queuePing("one", l.URL, 1)
	cfg := quick()
	cfg.Lease, cfg.SendTimeout = time.Second, 500*time.Millisecond
	b.relayOn(through, NewPingRelay, post(t), cfg)
	<-c.Fired()
	b.settled("pings", 1)
	l.is(t, 1, 1)
}

// The database goes away under a relay that sends, and comes back.
func TestF71_DatabaseRestarts(t *testing.T) {
	t.Parallel()
	b, p, through := cutBench(t)
	l := newLedger(t)
	const n = 300
	for i := range n {
		b.queuePing(fmt.Sprint(i), l.URL, i)
	}
	l.answer = func(int, request) int { time.Sleep(2 * time.Millisecond); return 0 }
	b.relayOn(through, NewPingRelay, post(t), quick())
	b.eventually("some are sent", func() bool { return len(l.seen("")) > 20 })
	allow := p.Refuse()
	p.Disconnect()
	time.Sleep(300 * time.Millisecond)
	allow()
	b.settled("pings", n)
	l.is(t, n, n)
	if len(b.events.of(outbox.EventUnreachable)) == 0 {
		t.Error("nobody was told that the database was away")
	}
}

// An error that cannot be stored as it is does not keep the outcome, or anybody else's, from being recorded.
func TestErrorsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	server := pgtest.Own(t)
	url := must(server.NewDatabase(context.Background()))
	admin := must(pgxpool.New(context.Background(), url))
	defer admin.Close()
	name := "idem_latin_" + strings.ToLower(t.Name())
	if _, err := admin.Exec(context.Background(), `CREATE DATABASE `+name+` TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`); err != nil {
		t.Fatal(err)
	}
	cfg := admin.Config()
	cfg.ConnConfig.Database = name
	cfg.ConnConfig.RuntimeParams["client_encoding"] = "UTF8"
	pool := must(pgxpool.NewWithConfig(context.Background(), cfg))
	t.Cleanup(pool.Close)
	if err := migrate(context.Background(), pool); err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, pool: pool, events: &recorder{}}
	for i := range 20 {
		b.queuePing(fmt.Sprint(i), "http://a", i)
	}
	text := "\x00 \xff ☃ " + strings.Repeat("é", 3000)
	b.relay(NewPingRelay, outbox.SenderFunc(func(_ context.Context, c outbox.Command) outbox.Outcome {
		if strings.Contains(string(c.Body), `"n":7}`) {
			return outbox.Rejected([]byte("\x00\xff"), errors.New(text))
		}
		return outbox.Confirmed([]byte{0, 0xff})
	}), quick())
	b.settled("pings", 20)
	if n := b.count(`SELECT count(*) FROM pings WHERE state = 'delivered' AND receipt = '\x00ff'`); n != 19 {
		t.Errorf("%d delivered", n)
	}
	if n := b.count(`SELECT count(*) FROM pings WHERE state = 'rejected' AND last_error LIKE '%\\u2603%' AND attempts = 1`); n != 1 {
		t.Errorf("%+v", b.rows("pings"))
	}
}

func TestSenderThatPanicsOrSaysNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 3 {
		b.queuePing(fmt.Sprint(i), "http://a", i)
	}
	cfg := quick()
	cfg.MaxAttempts = 2
	b.relay(NewPingRelay, outbox.SenderFunc(func(_ context.Context, c outbox.Command) outbox.Outcome {
		switch {
		case strings.Contains(string(c.Body), `"n":0}`):
			panic("oh")
		case strings.Contains(string(c.Body), `"n":1}`):
			return outbox.Outcome{}
		}
		return outbox.Confirmed(nil)
	}), cfg)
	b.settled("pings", 3)
	if n := b.count(`SELECT count(*) FROM pings WHERE state = 'dead' AND (n = 0 AND last_error LIKE '%panicked: oh' OR n = 1 AND last_error LIKE '%did not say%')`); n != 2 {
		t.Errorf("%+v", b.rows("pings"))
	}
	if n := b.count(`SELECT count(*) FROM pings WHERE state = 'delivered' AND receipt = ''`); n != 1 {
		t.Errorf("%+v", b.rows("pings"))
	}
}

// lines is a log that several write to.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) have(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.buf.String(), text)
}

// Whatever goes wrong, neither the log nor the table's errors tell what is secret: signing secrets, credentials, what is
// in URLs, bodies.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	closed := newLedger(t)
	closed.Close()
	l.answer = func(_ int, r request) int {
		if r.Path == "/t0ken/ok" {
			return 0
		}
		return map[string]int{"/t0ken/drop": dropAnswer, "/t0ken/422": 422, "/t0ken/400": 400, "/t0ken/307": 307}[r.Path]
	}
	for i, to := range []string{
		l.URL + "/t0ken/ok?t0ken", l.URL + "/t0ken/drop", l.URL + "/t0ken/422", l.URL + "/t0ken/400", l.URL + "/t0ken/307",
		closed.URL + "/t0ken", "http://user:t0ken@127.0.0.1/", "http://t0ken.invalid/", "ftp://t0ken", "http://10.9.9.9/t0ken", "http://127.0.0.1:x/t0ken", "https://127.0.0.1:1/t0ken",
	} {
		if err := QueueWebhookTx(context.Background(), b.pool, fmt.Sprint(i), Webhook{URL: to, Customer: fmt.Sprint(i), Payload: []byte("t0ken")}); err != nil {
			t.Fatal(err)
		}
	}
	const secret = "whsec_c2VjcmV0IHQwa2VuIHRoYXQgbm9ib2R5IHNlZXM="
	log := &lines{}
	cfg := quick()
	cfg.MaxAttempts = 2
	cfg.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b.relay(NewWebhookRelay, post(t, func(c *httpsender.Config) {
		c.Secrets = httpsender.StaticSecrets(must(httpsender.ParseSecret(secret)))
		c.Header = func(outbox.Command) http.Header { return http.Header{"Authorization": {"Bearer t0ken"}} }
	}), cfg)
	b.settled("webhook_outbox", 12)
	log.mu.Lock()
	defer log.mu.Unlock()
	text := log.buf.String()
	if !strings.Contains(text, "command_id") {
		t.Error("nothing was logged")
	}
	for _, got := range b.rows("webhook_outbox") {
		text += got.Error + "\n"
	}
	for _, secret := range []string{"t0ken", "c2VjcmV0", "secret t0"} {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%s is told: …%s", secret, text[max(0, at-200):min(len(text), at+50)])
		}
	}
}

// A relay that has nothing to do asks the database for nothing but what its polling is for, also with a destination that
// is left alone.
func TestIdleRelayIsQuiet(t *testing.T) {
	t.Parallel()
	b, p, through := cutBench(t)
	l := newLedger(t)
	l.answer = func(int, request) int { return 500 }
	for i := range 5 {
		b.queuePing(fmt.Sprint(i), l.URL, i)
	}
	cfg := quick()
	cfg.Poll, cfg.BreakAfter, cfg.BreakFor, cfg.BacklogEvery = time.Hour, 1, time.Hour, time.Hour
	b.relayOn(through, NewPingRelay, post(t), cfg)
	b.eventually("the breaker is open and all is recorded", func() bool {
		return len(b.events.of(outbox.EventOpened)) > 0 && b.count(`SELECT count(*) FROM pings WHERE claim_expires_at IS NULL AND claim_epoch > 0`) == 5
	})
	time.Sleep(200 * time.Millisecond)
	p.Reset()
	time.Sleep(500 * time.Millisecond)
	if n := p.RoundTrips(); n > 1 {
		t.Errorf("%d round trips of an idle relay", n)
	}
}

// A table may refuse an outcome, by a trigger of the author's. That is said, and costs the relay nothing else.
func TestMarkRefused(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	b.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state = 'delivered' AND NEW.command_id = (SELECT min(command_id) FROM pings) THEN RAISE EXCEPTION 'no'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse BEFORE UPDATE ON pings FOR EACH ROW EXECUTE FUNCTION refuse()`)
	b.queuePing("one", l.URL, 1)
	b.queuePing("two", l.URL, 1)
	logs := &lines{}
	cfg := quick()
	cfg.Logger = slog.New(slog.NewTextHandler(logs, nil))
	b.relay(NewPingRelay, post(t), cfg)
	b.eventually("the refusal is logged", func() bool { return logs.have("an outcome could not be recorded") })
	b.eventually("the other one is delivered", func() bool { return b.count(`SELECT count(*) FROM pings WHERE state = 'delivered'`) == 1 })
}
