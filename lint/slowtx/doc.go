// Package slowtx finds waits while a transaction is open.
//
// # slowtx
//
// A transaction that sleeps, or waits for a channel or a process, keeps its locks, its connection and
// its snapshot. In a handler of idem it may also outlive the lease.
//
// Bad:
//
//	tx.Exec(ctx, `UPDATE locks SET held = true WHERE id = $1`, id)
//	time.Sleep(2 * time.Second)
//
// Good:
//
//	time.Sleep(2 * time.Second)
//	tx.Exec(ctx, `UPDATE locks SET held = true WHERE id = $1`, id)
//
// Waits before the first statement, locks and what does not block are fine.
package slowtx
