package txcontrol_more

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"github.com/idem-go/idem/runtime"
)

var pool *pgxpool.Pool

var db *sql.DB

func book(ctx context.Context) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM x`)
		return err
	})
}

func Helper(ctx runtime.Context, id int64) error {
	return book(ctx) // want `\[txcontrol\]`
}

func Within(ctx runtime.Context, id int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { // want `\[txcontrol\]`
		_, err := tx.Exec(ctx, `DELETE FROM x`)
		return err
	})
}

func Cast(ctx runtime.Context, id int64) error {
	return ctx.CompletionTx().(pgx.Tx).Rollback(ctx) // want `\[txcontrol\]`
}

// Two transactions of the pool at once.
func Nested(ctx context.Context) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := book(ctx); err != nil { // want `\[txcontrol\]`
		return err
	}
	return tx.Commit(ctx)
}

func After(ctx context.Context) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return book(ctx)
}

// A savepoint belongs to the transaction at hand.
func Savepoint(ctx context.Context) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		inner, err := tx.Begin(ctx)
		if err != nil {
			return err
		}
		return inner.Commit(ctx)
	})
}

func Gorm(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		return tx.Transaction(func(tx *gorm.DB) error { return nil })
	})
}

// A transaction by hand.
func ByHand(ctx runtime.Context, id int64) error {
	if _, err := db.ExecContext(ctx, "START TRANSACTION"); err != nil { // want `\[txcontrol\]`
		return err
	}
	_, err := db.ExecContext(ctx, "COMMIT") // want `\[txcontrol\]`
	return err
}
