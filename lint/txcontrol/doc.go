// Package txcontrol finds code that ends or nests a transaction that is not its own.
//
// # txcontrol
//
// The completion transaction commits the handler's writes together with the step. Who commits it,
// rolls it back or begins another one in between takes the writes out of it: they stay although the
// step is done again. A second transaction from the pool also waits for a connection that the first
// one holds.
//
// Bad:
//
//	tx := ctx.CompletionTx()
//	tx.Exec(ctx, "COMMIT")
//	own, err := pool.Begin(ctx)
//
// Good:
//
//	tx := ctx.CompletionTx()
//	tx.Exec(ctx, `UPDATE orders SET paid = true WHERE id = $1`, id) // idem commits
//
// A worker that begins its own transaction and completes the job in it, and a savepoint from the
// transaction at hand, are fine.
package txcontrol
