package wrongexec_more

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"github.com/idem-go/idem/runtime"
)

type Steps struct {
	pool *pgxpool.Pool
	db   *sql.DB
	orm  *gorm.DB
}

type Order struct{ ID int64 }

func (s *Steps) save(ctx context.Context, id int64) error {
	_, err := s.db.ExecContext(ctx, `UPDATE orders SET seen = true WHERE id = $1`, id)
	return err
}

func (s *Steps) Helper(ctx runtime.Context, id int64) error {
	return s.save(ctx, id) // want `\[wrongexec\]`
}

func (s *Steps) Returning(ctx runtime.Context, id int64) error {
	var n int64
	return s.pool.QueryRow(ctx, `DELETE FROM carts WHERE id = $1 RETURNING n`, id).Scan(&n) // want `\[wrongexec\]`
}

func (s *Steps) InClosure(ctx runtime.Context, id int64) error {
	do := func() error {
		_, err := s.pool.Exec(ctx, `DELETE FROM carts WHERE id = $1`, id) // want `\[wrongexec\]`
		return err
	}
	return do()
}

func (s *Steps) Reads(ctx runtime.Context, id int64) error {
	_, err := s.pool.Query(ctx, `WITH x AS (SELECT 1) SELECT 'delete' FROM x`)
	return err
}

// The outer handle in a transaction's function.
func (s *Steps) Callback(ctx context.Context, id int64) error {
	return s.orm.Transaction(func(tx *gorm.DB) error {
		if err := tx.WithContext(ctx).Save(&Order{id}).Error; err != nil {
			return err
		}
		return s.orm.Save(&Order{id}).Error // want `\[wrongexec\]`
	})
}

func (s *Steps) Pgx(ctx context.Context, id int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := s.pool.Exec(ctx, `DELETE FROM carts WHERE id = $1`, id); err != nil { // want `\[wrongexec\]`
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM carts WHERE id = $1`, id)
		return err
	})
}

// The name of the handle is taken by the transaction.
func Shadowed(ctx context.Context, db *gorm.DB, id int64) error {
	return db.Transaction(func(db *gorm.DB) error { return db.Save(&Order{id}).Error })
}

// Outside of a handler and of a transaction the pool is right.
func (s *Steps) Plain(ctx context.Context, id int64) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM carts WHERE id = $1`, id)
	return err
}
