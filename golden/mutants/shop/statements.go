package shop

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime"
)

// DB is where a statement runs: a pool, a transaction, or the transaction that completes a step.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Enter adds a line to the journal. The journal has no key.
func Enter(ctx context.Context, db DB, o Order) error {
	_, err := db.Exec(ctx, `INSERT INTO journal (order_id, cents) VALUES ($1, $2)`, o.OrderID, o.Cents)
	return err
}

// Count counts an order.
func Count(ctx context.Context, db DB) error {
	_, err := db.Exec(ctx, `INSERT INTO counters AS c VALUES ('orders', 1)
		ON CONFLICT (name) DO UPDATE SET count = c.count + 1`)
	return err
}

// Mark marks an order, and tells whether it was new.
func Mark(ctx context.Context, db DB, o Order) (fresh bool, err error) {
	tag, err := db.Exec(ctx, `INSERT INTO marks (order_id, cents) VALUES ($1, $2) ON CONFLICT DO NOTHING`, o.OrderID, o.Cents)
	return tag.RowsAffected() == 1, err
}

// Clear empties the basket of an order.
func Clear(ctx context.Context, db DB, o Order) error {
	_, err := db.Exec(ctx, `DELETE FROM baskets WHERE order_id = $1`, o.OrderID)
	return err
}

// errOtherCharge is final: the key has been used.
var errOtherCharge = runtime.Permanent(errors.New("another amount was charged under the key"))

// Charge charges once per key. The same amount again changes nothing; another one is refused.
func Charge(ctx context.Context, db DB, key string, o Order) error {
	if err := ChargeOrPass(ctx, db, key, o); err != nil {
		return err
	}
	var cents int64
	if err := db.QueryRow(ctx, `SELECT cents FROM charges WHERE key = $1`, key).Scan(&cents); err != nil {
		return err
	}
	if cents != o.Cents {
		return errOtherCharge
	}
	return nil
}

// ChargeOrPass is Charge for those who do not want to know what stands under the key.
func ChargeOrPass(ctx context.Context, db DB, key string, o Order) error {
	_, err := db.Exec(ctx, insertCharge+` ON CONFLICT (key) DO NOTHING`, key, o.TenantID, o.Cents)
	return err
}

// ChargeOrFail is Charge without ON CONFLICT.
func ChargeOrFail(ctx context.Context, db DB, key string, o Order) error {
	_, err := db.Exec(ctx, insertCharge, key, o.TenantID, o.Cents)
	return err
}

const insertCharge = `INSERT INTO charges (key, tenant_id, cents) VALUES ($1, $2, $3)`
