package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
)

// consume is what a consumer does: take the command, change something without any key of its own, commit.
func consume(b *bench, inbox *outbox.Inbox, id, payload string) (first bool, err error) {
	err = pgx.BeginFunc(context.Background(), b.pool, func(tx pgx.Tx) error {
		if first, err = inbox.Accept(context.Background(), tx, id, []byte(payload)); err != nil || !first {
			return err
		}
		_, err = tx.Exec(context.Background(), `INSERT INTO booked VALUES ($1)`, id)
		return err
	})
	return first, err
}

func inboxBench(t *testing.T) (*bench, *outbox.Inbox) {
	b := newBench(t)
	b.exec(`CREATE TABLE booked (id text)`)
	return b, must(outbox.NewInbox(b.pool, "billing", outbox.InboxConfig{Retention: outbox.Retention{Keep: time.Hour, ReplayWindow: time.Hour, Batch: 10}}))
}

func TestInboxTakesEachCommandOnce(t *testing.T) {
	t.Parallel()
	b, inbox := inboxBench(t)
	for i, want := range []bool{true, false, false} {
		if first, err := consume(b, inbox, "cmd_1", "x"); err != nil || first != want {
			t.Errorf("try %d: %v, %v", i, first, err)
		}
	}
	if first, err := consume(b, must(outbox.NewInbox(b.pool, "mail", outbox.InboxConfig{})), "cmd_1", "y"); err != nil || !first {
		t.Errorf("another consumer: %v, %v", first, err)
	}
	if n := b.count(`SELECT count(*) FROM booked`); n != 2 {
		t.Errorf("%d bookings", n)
	}
}

// What is rolled back was not taken.
func TestInboxRollsBackWithItsTransaction(t *testing.T) {
	t.Parallel()
	b, inbox := inboxBench(t)
	tx := must(b.pool.Begin(context.Background()))
	if first, err := inbox.Accept(context.Background(), tx, "cmd_1", []byte("x")); err != nil || !first {
		t.Fatal(first, err)
	}
	if err := tx.Rollback(context.Background()); err != nil {
		t.Fatal(err)
	}
	if first, err := consume(b, inbox, "cmd_1", "x"); err != nil || !first {
		t.Errorf("after the rollback: %v, %v", first, err)
	}
}

func TestInboxConcurrently(t *testing.T) {
	t.Parallel()
	b, inbox := inboxBench(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 20 {
				if _, err := consume(b, inbox, fmt.Sprint(i), "x"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := b.count(`SELECT count(*) FROM booked`); n != 20 {
		t.Errorf("%d bookings of 20 commands", n)
	}
}

// Another payload under a known id is kept in quarantine, although the consumer rolls back, and changes nothing.
func TestF54_InboxQuarantinesAnotherPayload(t *testing.T) {
	t.Parallel()
	b, inbox := inboxBench(t)
	if _, err := consume(b, inbox, "cmd_1", "x"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		first, err := consume(b, inbox, "cmd_1", "other")
		var quarantined *outbox.QuarantineError
		if first || !errors.As(err, &quarantined) || !errors.Is(err, runtime.ErrPayloadMismatch) || quarantined.CommandID != "cmd_1" {
			t.Errorf("another payload: %v, %v", first, err)
		}
	}
	if n := b.count(`SELECT count(*) FROM idem.inbox_quarantine WHERE consumer = 'billing' AND command_id = 'cmd_1' AND payload = 'other'`); n != 1 {
		t.Errorf("%d in quarantine", n)
	}
	if n := b.count(`SELECT count(*) FROM booked`); n != 1 {
		t.Errorf("%d bookings", n)
	}
	if first, err := consume(b, inbox, "cmd_1", "x"); first || err != nil {
		t.Errorf("the right payload again: %v, %v", first, err)
	}
}

func TestInboxRefusesIDsThatCannotBe(t *testing.T) {
	t.Parallel()
	b, inbox := inboxBench(t)
	for _, id := range []string{"", "a\x00b", strings.Repeat("x", 513)} {
		if _, err := consume(b, inbox, id, "x"); err == nil {
			t.Errorf("%.10q was taken", id)
		}
	}
	if _, err := outbox.NewInbox(b.pool, "", outbox.InboxConfig{}); err == nil {
		t.Error("an inbox without a name")
	}
}

func TestF69_InboxPurge(t *testing.T) {
	t.Parallel()
	b, inbox := inboxBench(t)
	b.exec(`INSERT INTO idem.inbox SELECT 'billing', i::text, sha256(''), now() - CASE WHEN i % 2 = 0 THEN 61 ELSE 59 END * interval '1 minute'
		FROM generate_series(1, 25) i`)
	b.exec(`INSERT INTO idem.inbox VALUES ('mail', 'old', sha256(''), now() - interval '1 year')`)
	if n, err := inbox.Purge(context.Background()); n != 12 || err != nil {
		t.Errorf("%d forgotten, %v", n, err)
	}
	if n := b.count(`SELECT count(*) FROM idem.inbox`); n != 14 {
		t.Errorf("%d left", n)
	}
}
