// Package txescape finds transactions and contexts that leave their handler.
//
// # txescape
//
// A transaction is one connection: two goroutines that use it get each other's results, or a panic.
// After the handler has returned its context and its transaction are closed, and what is written
// through them is lost.
//
// Bad:
//
//	go func() { tx.Exec(ctx, up, id) }()
//
// Good:
//
//	go func() { out <- slow(id) }()
//	tx.Exec(ctx, up, <-out)
//
// Handing it to a function that is called, and keeping it in a local struct, are fine.
package txescape
