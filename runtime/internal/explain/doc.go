// Package explain tells by which indexes Postgres gets at the rows of a statement. It is for tests, which assert that for
// the statements of the hot path, whatever the planner's statistics say:
//
//	used, plan, err := explain.Indexes(ctx, conn, explain.Generic, "steps", "SELECT … WHERE id = $1", "1")
//
// Runtime and outbox use it; it imports nothing of theirs.
package explain
