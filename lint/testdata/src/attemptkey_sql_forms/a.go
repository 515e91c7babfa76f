package attemptkey_sql_forms

import (
	"fmt"

	"github.com/idem-go/idem/runtime"
)

const columns = "dedupe_key, body"

const insert = "INSERT INTO app.outbox (" + columns + ") VALUES ($1, $2) ON CONFLICT (dedupe_key) DO NOTHING"

var schema = "tenant_1"

func Concatenated(ctx runtime.Context, body string) error {
	key := fmt.Sprintf("%s:%d", ctx.RunID(), ctx.Attempt())
	_, err := ctx.CompletionTx().Exec(ctx, insert, key, body) // want `\[attemptkey\]`
	return err
}

func Spread(ctx runtime.Context, body string) error {
	args := []any{fmt.Sprintf("%s:%d", ctx.RunID(), ctx.Attempt()), body}
	_, err := ctx.CompletionTx().Exec(ctx, insert, args...) // want `\[attemptkey\]`
	return err
}

func Schema(ctx runtime.Context, name string) error {
	q := fmt.Sprintf(`INSERT INTO %s.runs (run_id, node, n) VALUES ($1, $2, $3) ON CONFLICT (run_id, node, n) DO NOTHING`, name)
	_, err := ctx.CompletionTx().Exec(ctx, q, ctx.RunID(), ctx.Node(), ctx.Attempt()) // want `\[attemptkey\]`
	return err
}

func Variable(ctx runtime.Context, body string) error {
	q := "INSERT INTO " + schema + `."outbox" ("dedupe_key", body) VALUES ($2, $1) ON CONFLICT DO NOTHING`
	_, err := ctx.CompletionTx().Exec(ctx, q, body, fmt.Sprintf("%s:%d", ctx.RunID(), ctx.Attempt())) // want `\[attemptkey\]`
	return err
}

// The attempt is bound to a column that is no key, and to a WHERE clause.
func Plain(ctx runtime.Context, body string) error {
	tx := ctx.CompletionTx()
	if _, err := tx.Exec(ctx, `/* INSERT INTO x (dedupe_key) */ INSERT INTO notes (run_id, node, tries) -- (attempt)
		SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT 1 FROM notes WHERE tries > $3)
		ON CONFLICT (run_id, node) DO UPDATE SET tries = EXCLUDED.tries WHERE notes.tries < $3`,
		ctx.RunID(), ctx.Node(), ctx.Attempt()); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE notes SET tries = $2 WHERE run_id = $1`, ctx.RunID(), ctx.Attempt())
	return err
}
