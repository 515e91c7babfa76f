package outbox_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/outbox"
)

// Commands that are claimed stay where the indexes know them: a claim writes no index.
func TestClaimsWriteNoIndex(t *testing.T) {
	t.Parallel()
	const n = 300
	for name, c := range map[string]struct {
		table *outbox.Table
		queue func(ctx context.Context, tx pgx.Tx, key string) error
	}{
		"notes": {&noteOutbox, func(ctx context.Context, tx pgx.Tx, key string) error {
			return QueueNoteTx(ctx, tx, key, Note{Text: "text"})
		}},
		"pings": {&pingOutbox, func(ctx context.Context, tx pgx.Tx, key string) error {
			return QueuePingTx(ctx, tx, key, Ping{URL: "http://receiver", N: 1})
		}},
		"webhook_outbox": {&webhookOutbox, func(ctx context.Context, tx pgx.Tx, key string) error {
			return QueueWebhookTx(ctx, tx, key, Webhook{URL: "http://receiver", Customer: key, Kind: "paid"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			tx := must(b.pool.Begin(t.Context()))
			defer func() { _ = tx.Rollback(context.Background()) }()
			for i := range n {
				if err := c.queue(t.Context(), tx, fmt.Sprint("key ", i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := tx.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			tx = must(b.pool.Begin(t.Context()))
			claim := pgx.NamedArgs{"limit": n, "lease": 60_000_000, "after": "", "destinations": []string{}, "rooms": []int{}, "share": n}
			if tag := must(tx.Exec(t.Context(), c.table.ClaimSQL, claim)); tag.RowsAffected() != n {
				t.Fatalf("%d commands were claimed, want %d", tag.RowsAffected(), n)
			}
			if tag := must(tx.Exec(t.Context(), c.table.ClaimSQL, claim)); tag.RowsAffected() != 0 {
				t.Fatalf("%d commands were claimed again", tag.RowsAffected())
			}
			var all, inPlace int
			if err := tx.QueryRow(t.Context(), `SELECT pg_stat_get_xact_tuples_updated($1::text::regclass), pg_stat_get_xact_tuples_hot_updated($1::text::regclass)`, name).
				Scan(&all, &inPlace); err != nil {
				t.Fatal(err)
			}
			if all != n || inPlace != n {
				t.Errorf("%d of %d updates wrote no index, want all of %d", inPlace, all, n)
			}
		})
	}
}
