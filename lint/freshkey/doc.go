// Package freshkey finds keys that are made anew in each execution.
//
// # freshkey
//
// A random value, a new UUID or the time of day is another one when the handler runs again, so the
// receiver cannot see that it is the same command. Whoever starts the work may mint a key, once; what
// runs again must be given it, or derive it from what it is given.
//
// Bad:
//
//	req.Header.Set("Idempotency-Key", uuid.NewString()) // in a handler, or in a retried closure
//
// Good:
//
//	req.Header.Set("Idempotency-Key", ctx.RunID()+":"+ctx.Node())
//
// Code that runs once may mint a key. A time that is cut to a window, a name-based UUID of stable
// input, and what was minted outside of the code that runs again are fine.
package freshkey
