package payloadoverwrite_more

import (
	"context"
	"database/sql"

	"github.com/hibiken/asynq"
)

type Handler struct{ db *sql.DB }

func (h *Handler) ProcessTask(ctx context.Context, t *asynq.Task) error {
	exec := func(q string, args ...any) error { _, err := h.db.ExecContext(ctx, q, args...); return err }
	_ = exec
	if _, err := h.db.ExecContext(ctx, `INSERT INTO inbox (message_id, payload) VALUES ($1, $2) ON CONFLICT (message_id) DO UPDATE SET payload = $2`, 1, t.Payload()); err != nil { // want `\[payloadoverwrite\]`
		return err
	}
	if _, err := h.db.ExecContext(ctx, `INSERT INTO results (run_id, node, out) VALUES ($1, $2, $3) ON CONFLICT (run_id, node) DO UPDATE SET seen_at = now(), out = EXCLUDED.out`, 1, 2, t.Payload()); err != nil { // want `\[payloadoverwrite\]`
		return err
	}
	if _, err := h.db.ExecContext(ctx, `INSERT INTO customers (email, name) VALUES ($1, $2) ON CONFLICT (email) DO UPDATE SET name = EXCLUDED.name`, 1, 2); err != nil {
		return err
	}
	if _, err := h.db.ExecContext(ctx, `INSERT INTO inbox (message_id, payload) VALUES ($1, $2) ON CONFLICT (message_id) DO UPDATE SET status = $3, message_id = EXCLUDED.message_id, updated_at = EXCLUDED.updated_at`, 1, 2, 3); err != nil {
		return err
	}
	_, err := h.db.ExecContext(ctx, `INSERT INTO inbox (message_id, payload, sha) VALUES ($1, $2, $3) ON CONFLICT (message_id) DO UPDATE SET payload = EXCLUDED.payload WHERE inbox.sha = EXCLUDED.sha`, 1, 2, 3)
	return err
}

// An event of a calendar has an id of its own, and this runs once.
func Sync(ctx context.Context, db *sql.DB, id, title string) error {
	_, err := db.ExecContext(ctx, `INSERT INTO calendar (event_id, title) VALUES ($1, $2) ON CONFLICT (event_id) DO UPDATE SET title = EXCLUDED.title`, id, title)
	return err
}
