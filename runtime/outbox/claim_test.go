package outbox_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/outbox"
)

// Commands that are claimed stay where the indexes know them: a claim writes no index.
func TestClaimsWriteNoIndex(t *testing.T) {
	t.Parallel()
	const n = 100 // as many as have a key of their own
	for _, f := range outboxForms {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.inBulk(f, outbox.StatePending, n)
			tx := must(b.pool.Begin(t.Context()))
			defer func() { _ = tx.Rollback(context.Background()) }()
			claim := pgx.NamedArgs{"limit": n, "lease": 60_000_000, "after": "", "destinations": []string{}, "rooms": []int{}, "share": n}
			if tag := must(tx.Exec(t.Context(), f.table.ClaimSQL, claim)); tag.RowsAffected() != n {
				t.Fatalf("%d commands were claimed, want %d", tag.RowsAffected(), n)
			}
			if tag := must(tx.Exec(t.Context(), f.table.ClaimSQL, claim)); tag.RowsAffected() != 0 {
				t.Fatalf("%d commands were claimed again", tag.RowsAffected())
			}
			var all, inPlace int
			if err := tx.QueryRow(t.Context(), `SELECT pg_stat_get_xact_tuples_updated($1::text::regclass), pg_stat_get_xact_tuples_hot_updated($1::text::regclass)`, f.name).
				Scan(&all, &inPlace); err != nil {
				t.Fatal(err)
			}
			if all != n || inPlace != n {
				t.Errorf("%d of %d updates wrote no index, want all of %d", inPlace, all, n)
			}
		})
	}
}
