// Package docs_test has the code that the pages of this folder show and that no example has, and runs it.
package docs_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	payments "github.com/idem-go/idem/examples/payments/migrations"
	webhooks "github.com/idem-go/idem/examples/webhooks/migrations"
	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/pgtest"
)

// newDatabase has the tables of the runtime, of two examples, and one that a team had before.
func newDatabase(t *testing.T) *pgxpool.Pool {
	return pgtest.New(t, pgtest.Migrated("docs", func(ctx context.Context, pool *pgxpool.Pool) error {
		if _, err := migrations.Up(ctx, pool, migrations.DefaultSchema); err != nil {
			return err
		}
		texts := []string{`CREATE TABLE basket (order_id text PRIMARY KEY)`}
		for _, read := range []func() ([]string, error){payments.SQL, webhooks.SQL} {
			more, err := read()
			if err != nil {
				return err
			}
			texts = append(texts, more...)
		}
		for _, text := range texts {
			if _, err := pool.Exec(ctx, text); err != nil {
				return err
			}
		}
		return nil
	}))
}

func count(t *testing.T, pool *pgxpool.Pool, table string) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
