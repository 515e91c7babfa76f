// Package attemptkey finds attempt numbers in deduplication keys.
//
// # attemptkey
//
// A key tells the receiver that this is the same command as before. With the number of the attempt,
// the retry or the delivery in it each try has a key of its own: the receiver takes the retry for a
// new command and does the work again. The same holds for a column of a conflict target.
//
// Bad:
//
//	key := fmt.Sprintf("%s:%s:%d", ctx.RunID(), ctx.Node(), ctx.Attempt())
//	req.Header.Set("Idempotency-Key", key)
//
// Good:
//
//	key := ctx.RunID() + ":" + ctx.Node()
//	req.Header.Set("Idempotency-Key", key)
//	req.Header.Set("X-Attempt", strconv.Itoa(ctx.Attempt()))
//
// An attempt number in logs, metrics, headers, plain columns, a fencing WHERE clause or the table of
// attempts is fine, and so is a decision that depends on it.
package attemptkey
