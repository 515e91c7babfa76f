// Package wrongexec finds writes that bypass the transaction at hand.
//
// # wrongexec
//
// A write through the pool commits by itself. When the step, or the transaction around it, rolls back,
// the row stays, and the next execution writes it again.
//
// Bad:
//
//	func (s *Steps) Ship(ctx runtime.Context, id int64) error {
//		_, err := s.pool.Exec(ctx, insertShipment, …)
//
// Good:
//
//	func (s *Steps) Ship(ctx runtime.Context, id int64) error {
//		_, err := ctx.CompletionTx().Exec(ctx, insertShipment, …)
//
// Reads, and a transaction whose name hides the pool's, are fine.
package wrongexec
