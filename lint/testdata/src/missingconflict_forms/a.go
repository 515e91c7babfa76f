package missingconflict_forms

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"missingconflict_forms/store"
)

type Args struct{ ID int64 }

func (Args) Kind() string { return "x" }

type Badge struct{ UserID int64 }

type BadgeLog struct{ UserID int64 }

type Worker struct {
	river.WorkerDefaults[Args]
	pool  *pgxpool.Pool
	db    *sql.DB
	orm   *gorm.DB
	store *store.Queries
}

func (w *Worker) Work(ctx context.Context, job *river.Job[Args]) error {
	if err := w.orm.WithContext(ctx).Create(&Badge{job.Args.ID}).Error; err != nil { // want `\[missingconflict\]`
		return err
	}
	if err := w.orm.Clauses(clause.OnConflict{DoNothing: true}).Create(&Badge{job.Args.ID}).Error; err != nil {
		return err
	}
	if err := w.orm.Create(&BadgeLog{job.Args.ID}).Error; err != nil {
		return err
	}
	if err := w.orm.Save(&Badge{job.Args.ID}).Error; err != nil {
		return err
	}
	rows := pgx.CopyFromRows([][]any{{job.Args.ID}})
	if _, err := w.pool.CopyFrom(ctx, pgx.Identifier{"badges"}, []string{"user_id"}, rows); err != nil { // want `\[missingconflict\]`
		return err
	}
	if err := w.store.AddBadge(ctx, job.Args.ID); err != nil { // want `\[missingconflict\]`
		return err
	}
	if err := w.store.KeepBadge(ctx, job.Args.ID); err != nil {
		return err
	}
	if err := w.stage(ctx, job.Args.ID); err != nil {
		return err
	}
	return w.add(ctx, job.Args.ID)
}

// add is called by the worker.
func (w *Worker) add(ctx context.Context, id int64) error {
	_, err := w.db.ExecContext(ctx, `WITH who AS (SELECT 1), ins AS (INSERT INTO badges (user_id) VALUES ($1) RETURNING id) SELECT * FROM ins`, id) // want `\[missingconflict\]`
	return err
}

// stage fills a table that it has emptied.
func (w *Worker) stage(ctx context.Context, id int64) error {
	if _, err := w.db.ExecContext(ctx, `DELETE FROM staging WHERE id = $1`, id); err != nil {
		return err
	}
	_, err := w.db.ExecContext(ctx, `INSERT INTO staging (id) VALUES ($1)`, id)
	return err
}

func (w *Worker) others(ctx context.Context, job *river.Job[Args]) error {
	for _, q := range []string{"SELECT 1"} {
		if _, err := w.db.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	if _, err := w.db.ExecContext(ctx, "INSERT INTO badges (user_id) VALUES (?) ON DUPLICATE KEY UPDATE user_id = user_id", job.Args.ID); err != nil {
		return err
	}
	if _, err := w.db.ExecContext(ctx, "INSERT OR IGNORE INTO badges (user_id) VALUES (?)", job.Args.ID); err != nil {
		return err
	}
	if _, err := w.db.ExecContext(ctx, "MERGE INTO badges USING s ON true WHEN NOT MATCHED THEN INSERT (user_id) VALUES (1)"); err != nil {
		return err
	}
	_, err := w.db.ExecContext(ctx, "-- INSERT INTO badges\nSELECT 'INSERT INTO badges (user_id) VALUES (1)'")
	return err
}

// Completed hands its transaction to insert, and completes the job in it.
func (w *Worker) completed(ctx context.Context, job *river.Job[Args]) error {
	return pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		if err := w.insert(ctx, tx, job.Args.ID); err != nil {
			return err
		}
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
}

func (w *Worker) insert(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO badges (user_id) VALUES ($1)`, id)
	return err
}
