package outbox_test

import (
	"context"
	"testing"

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
