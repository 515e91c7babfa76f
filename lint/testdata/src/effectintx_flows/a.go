package effectintx_flows

import (
	"context"
	"database/sql"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/refund"
	"gorm.io/gorm"

	"effectintx_flows/notify"

	"github.com/idem-go/idem/runtime"
)

const up = `UPDATE orders SET paid = true WHERE id = $1`

func write(ctx runtime.Context, id int64) error {
	_, err := ctx.CompletionTx().Exec(ctx, up, id)
	return err
}

func call() error {
	_, err := http.Get("http://127.0.0.1")
	return err
}

func Helpers(ctx runtime.Context, id int64) error {
	if err := call(); err != nil {
		return err
	}
	if err := write(ctx, id); err != nil {
		return err
	}
	if err := notify.Customer(ctx, id); err != nil { // want `\[effectintx\]`
		return err
	}
	return call() // want `\[effectintx\]`
}

func Branch(ctx runtime.Context, id int64, paid bool) error {
	if paid {
		if err := write(ctx, id); err != nil {
			return err
		}
	}
	_, err := refund.New(&stripe.RefundParams{}) // want `\[effectintx\]`
	return err
}

func Else(ctx runtime.Context, id int64, paid bool) error {
	if paid {
		return write(ctx, id)
	}
	return call()
}

func Later(ctx runtime.Context, id int64) (func() error, error) {
	if err := write(ctx, id); err != nil {
		return nil, err
	}
	return func() error { return call() }, nil
}

func Directly(ctx runtime.Context, id int64) error {
	if err := write(ctx, id); err != nil {
		return err
	}
	return func() error { return call() }() // want `\[effectintx\]`
}

func Gorm(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		return call() // want `\[effectintx\]`
	})
}

// Where Begin failed there is no transaction, and after the commit there is none either.
func Alert(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		_ = call()
		return err
	}
	if _, err := tx.Exec(ctx, up, id); err != nil {
		_ = tx.Rollback(ctx)
		return call()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1", nil)
	if err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = http.DefaultClient.Do(req)
	return err
}

func Deferred(ctx context.Context, db *sql.DB) error {
	defer func() { _ = call() }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return tx.Commit()
}
