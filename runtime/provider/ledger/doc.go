// Package ledger is a provider for tests: a real HTTP server that books effects under keys, loses answers when it is told
// to, and counts what it was asked for and what it did.
//
// A request is POST /effects with an Idempotency-Key header field. The same key with the same body has one effect, as long
// as the ledger remembers the key ([Window], [Ledger.Forget]); with another body it is answered with 422. GET /effects/KEY
// looks an effect up. [Ledger.Next] says how the next requests are treated.
//
//	l, err := ledger.Start(ledger.Window(24 * time.Hour))
//	defer l.Close()
//	l.Next(ledger.Drop) // does the first, and loses its answer
//
// [Client] makes the calls, in the form that a provider function has.
package ledger
