// Package store has the shape of generated query code.
package store

import "context"

// DBTX runs SQL.
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...interface{}) (interface{}, error)
}

// Queries are the queries.
type Queries struct{ db DBTX }

const addBadge = `-- name: AddBadge :exec
INSERT INTO badges (user_id) VALUES ($1)`

// AddBadge inserts.
func (q *Queries) AddBadge(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, addBadge, id)
	return err
}

const keepBadge = `INSERT INTO badges (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING`

// KeepBadge inserts once.
func (q *Queries) KeepBadge(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, keepBadge, id)
	return err
}
