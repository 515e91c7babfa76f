package attemptkey_named_args

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/riverqueue/river"
)

type Args struct{ ID string }

func (Args) Kind() string { return "x" }

type NamedArgs map[string]any

type Row struct {
	Event string `db:"event"`
	Tries int    `db:"tries"`
}

type Worker struct {
	river.WorkerDefaults[Args]
	pool *pgxpool.Pool
	db   *sqlx.DB
}

const named = `INSERT INTO inbox (event, tries) VALUES (@event, @tries) ON CONFLICT (event) DO NOTHING`

const colons = `INSERT INTO inbox (event, tries) VALUES (:event, :tries) ON CONFLICT (event) DO NOTHING`

func (w *Worker) Work(ctx context.Context, job *river.Job[Args]) error {
	event := fmt.Sprintf("%s/%d", job.Args.ID, job.Attempt)
	if _, err := w.pool.Exec(ctx, named, NamedArgs{
		"event": event, // want `\[attemptkey\]`
		"tries": job.Attempt,
	}); err != nil {
		return err
	}
	if _, err := w.pool.Exec(ctx, named, NamedArgs{"event": job.Args.ID, "tries": job.Attempt}); err != nil {
		return err
	}
	if _, err := w.db.NamedExecContext(ctx, colons, Row{Event: event, Tries: job.Attempt}); err != nil { // want `\[attemptkey\]`
		return err
	}
	row := Row{Event: job.Args.ID, Tries: job.Attempt}
	_, err := w.db.NamedExecContext(ctx, colons, row)
	return err
}
