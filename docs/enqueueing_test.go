package docs_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/idem-go/idem/examples/payments/billing"
	"github.com/idem-go/idem/runtime"
)

// placeOrder takes an order out of its basket and enqueues its charge: both are done, or neither is.
func placeOrder(ctx context.Context, pool *pgxpool.Pool, client *runtime.Client, order billing.OrderInput) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM basket WHERE order_id = $1`, order.OrderID); err != nil {
			return err
		}
		_, err := billing.ChargeOrderAction.EnqueueTx(ctx, client, tx, order, runtime.WithKey("", order.OrderID))
		return err
	})
}

// placeOrderSQL does the same in a transaction of database/sql, on pgx's driver.
func placeOrderSQL(ctx context.Context, db *sql.DB, client *runtime.Client, order billing.OrderInput) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, `DELETE FROM basket WHERE order_id = $1`, order.OrderID); err != nil {
		return err
	}
	err = conn.Raw(func(driver any) error { // the connection of tx, as pgx knows it
		within := driver.(*stdlib.Conn).Conn()
		_, err := billing.ChargeOrderAction.EnqueueTx(ctx, client, within, order, runtime.WithKey("", order.OrderID))
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

// TestEnqueueingWithTheRow: the order leaves the basket if, and only if, its charge is enqueued.
func TestEnqueueingWithTheRow(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(context.Context, *pgxpool.Pool, *runtime.Client, billing.OrderInput) error{
		"pgx": placeOrder,
		"database/sql": func(ctx context.Context, pool *pgxpool.Pool, client *runtime.Client, order billing.OrderInput) error {
			db := stdlib.OpenDBFromPool(pool)
			defer func() { _ = db.Close() }()
			return placeOrderSQL(ctx, db, client, order)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := newDatabase(t)
			client := runtime.NewClient(pool)
			for _, amount := range []int64{1, 2} { // under one key, so that the second one is refused
				if _, err := pool.Exec(t.Context(), `INSERT INTO basket VALUES ('o-1')`); err != nil {
					t.Fatal(err)
				}
				err := place(t.Context(), pool, client, billing.OrderInput{OrderID: "o-1", UserID: "ann", AmountCents: amount})
				if refused := amount == 2; (err != nil) != refused {
					t.Fatalf("the order of %d: %v", amount, err)
				}
				if n := count(t, pool, "idem.steps"); n != 1 {
					t.Errorf("%d steps, want one", n)
				}
				if left := count(t, pool, "basket"); left != int(amount)-1 {
					t.Errorf("%d orders in the basket after the order of %d", left, amount)
				}
			}
		})
	}
}

// oldJob is a job of the queue that was there before.
type oldJob struct {
	ID    string
	Input billing.ChargeInput
}

// chargeJob is all that the old queue's handler does from now on. The job's own id makes it one run, however often the
// old queue delivers the job.
func chargeJob(ctx context.Context, client *runtime.Client, job oldJob) error {
	_, err := billing.ChargeAction.Enqueue(ctx, client, job.Input, runtime.WithKey("old queue", job.ID))
	return err
}

func TestAnOldJobIsOneRun(t *testing.T) {
	t.Parallel()
	pool := newDatabase(t)
	for range 3 {
		job := oldJob{"4711", billing.ChargeInput{UserID: "ann", AmountCents: 1250}}
		if err := chargeJob(t.Context(), runtime.NewClient(pool), job); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, pool, "idem.steps"); n != 1 {
		t.Errorf("%d steps, want one", n)
	}
}
