package step

import (
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// firstRow reads one row, as pgx's own QueryRow does.
type firstRow struct {
	rows pgx.Rows
	err  error
}

func (r *firstRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// openResult is a result that may still be being read by the handler, on the transaction's connection.
type openResult interface {
	finish()
	finished() bool
	failure() error // what went wrong while it was read
}

// trackedRows are rows that know when they have been read, and close the batch that they came with.
type trackedRows struct {
	pgx.Rows
	br   pgx.BatchResults // nil: the rows came alone
	err  error
	done atomic.Bool
}

func (r *trackedRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

func (r *trackedRows) Close() {
	if r.done.Load() {
		return
	}
	r.Rows.Close()
	if r.br != nil {
		r.err = r.br.Close()
	}
	r.done.Store(true)
}

func (r *trackedRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

func (r *trackedRows) finish()        { r.Close() }
func (r *trackedRows) failure() error { return r.Err() }
func (r *trackedRows) finished() bool { return r.done.Load() }

// trackedBatch are batch results that know when they have been closed.
type trackedBatch struct {
	pgx.BatchResults
	err  error
	done atomic.Bool
}

func (b *trackedBatch) Close() error {
	if !b.done.Load() {
		b.err = b.BatchResults.Close()
		b.done.Store(true)
	}
	return b.err
}

func (b *trackedBatch) finish()        { _ = b.Close() }
func (b *trackedBatch) failure() error { return b.err }
func (b *trackedBatch) finished() bool { return b.done.Load() }

// failedBatch answers every call of a batch that was never sent.
type failedBatch struct{ err error }

func (f failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, f.err }
func (f failedBatch) Query() (pgx.Rows, error)         { return nil, f.err }
func (f failedBatch) QueryRow() pgx.Row                { return &firstRow{err: f.err} }
func (f failedBatch) Close() error                     { return f.err }
func (f failedBatch) Tx() pgx.Tx                       { return nil }

// closeResults closes br; the error of closing counts only where there was none before.
func closeResults(br pgx.BatchResults, before error) error {
	err := br.Close()
	if before != nil {
		return nil
	}
	return err
}
