package conflicttarget_more

import (
	"context"
	"database/sql"

	"github.com/idem-go/idem/runtime"
)

func All(ctx runtime.Context, item string) error {
	tx := ctx.CompletionTx()
	for _, q := range []string{} {
		_, _ = tx.Exec(ctx, q)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO l (run_id, node, n) VALUES ($1, $2, $3) ON CONFLICT (node) DO NOTHING`, ctx.RunID(), ctx.Node(), 1); err != nil { // want `\[conflicttarget\]`
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO l (run_id, step_id, n) VALUES ($1, $2, $3) ON CONFLICT (run_id) DO UPDATE SET n = 1`, ctx.RunID(), ctx.Node(), 1); err != nil { // want `\[conflicttarget\]`
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO l (run_id, node, item) VALUES ($1, $2, $3) ON CONFLICT (run_id, node, item) DO NOTHING`, ctx.RunID(), ctx.Node(), item); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO l (run_id, node) VALUES ($1, $2) ON CONFLICT (lower(run_id)) DO NOTHING`, ctx.RunID(), ctx.Node()); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO l (run_id, node) VALUES ($1, $2) ON CONFLICT (run_id) WHERE node = 'a' DO NOTHING`, ctx.RunID(), ctx.Node())
	return err
}

// The name has a constant default.
func Leader(ctx context.Context, db *sql.DB, id string) error {
	_, err := db.ExecContext(ctx, `INSERT INTO leader (leader_id) VALUES ($1) ON CONFLICT (name) DO NOTHING`, id)
	return err
}
