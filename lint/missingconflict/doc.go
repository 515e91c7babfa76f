// Package missingconflict finds inserts that a second execution repeats.
//
// # missingconflict
//
// A handler that runs again inserts the row again: there are two of it, or the handler fails on the
// unique constraint for ever. An insert in code that runs again says what happens when the row is
// there.
//
// Bad:
//
//	tx.Exec(ctx, `INSERT INTO payments (run_id, node, cents) VALUES ($1, $2, $3)`, …)
//
// Good:
//
//	tx.Exec(ctx, `INSERT INTO payments (run_id, node, cents) VALUES ($1, $2, $3)
//		ON CONFLICT (run_id, node) DO NOTHING`, …)
//
// ON CONFLICT, ON DUPLICATE KEY, OR IGNORE, MERGE and WHERE NOT EXISTS are fine, and so are a
// transaction that completes the job (river.JobCompleteTx), tables of attempts and logs, and a table
// that was emptied before.
package missingconflict
