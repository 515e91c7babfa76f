package nonidempotentupsert_more

import (
	"context"
	"database/sql"

	"github.com/hibiken/asynq"

	"github.com/idem-go/idem/runtime"
)

type Handler struct{ db *sql.DB }

func (h *Handler) ProcessTask(ctx context.Context, t *asynq.Task) error {
	if _, err := h.db.ExecContext(ctx, `UPDATE wallets SET cents = cents - $2 WHERE id = $1`, 1, 5); err != nil { // want `\[nonidempotentupsert\]`
		return err
	}
	if _, err := h.db.ExecContext(ctx, `UPDATE wallets SET seen = now(), cents = COALESCE(wallets.cents, 0) + $2 WHERE id = $1`, 1, 5); err != nil { // want `\[nonidempotentupsert\]`
		return err
	}
	if _, err := h.db.ExecContext(ctx, `UPDATE wallets SET cents = $2, version = version + 1 WHERE id = $1 AND version = $3`, 1, 5, 7); err != nil {
		return err
	}
	if _, err := h.db.ExecContext(ctx, `UPDATE wallets SET cents = LEAST(cents + 1, 5), due = due_at + interval '1 day' WHERE id = $1`, 1); err != nil {
		return err
	}
	_, err := h.db.ExecContext(ctx, `UPDATE wallets SET cents = $2 - $3 WHERE note = 'cents = cents + 1'`, 1, 2, 3)
	return err
}

// Gate applies the event only when its row was new.
func (h *Handler) Gate(ctx context.Context, t *asynq.Task) error {
	res, err := h.db.ExecContext(ctx, `INSERT INTO events (id) VALUES ($1) ON CONFLICT DO NOTHING`, 1)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	_, err = h.db.ExecContext(ctx, `UPDATE wallets SET cents = cents + 1 WHERE id = $1`, 1)
	return err
}

// The target is the key of the effect: the row is that of an execution before.
func Keyed(ctx runtime.Context, n int64) error {
	_, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO tries AS t (run_id, node, n) VALUES ($1, $2, $3) ON CONFLICT (run_id, node) DO UPDATE SET n = t.n + 1`, ctx.RunID(), ctx.Node(), n) // want `\[nonidempotentupsert\]`
	return err
}

func Sum(ctx runtime.Context, n int64) error {
	_, err := ctx.CompletionTx().Exec(ctx, `UPDATE totals SET n = n + $1`, n)
	return err
}
