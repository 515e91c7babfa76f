// Package payloadoverwrite finds upserts that replace what a key stands for.
//
// # payloadoverwrite
//
// The same key with another payload is a mistake of the sender. DO UPDATE SET body = EXCLUDED.body
// hides it: the second command replaces the first one, which may have been carried out already.
//
// Bad:
//
//	INSERT INTO outbox (idempotency_key, body) VALUES ($1, $2)
//	ON CONFLICT (idempotency_key) DO UPDATE SET body = EXCLUDED.body
//
// Good:
//
//	INSERT INTO outbox (idempotency_key, body, digest) VALUES ($1, $2, $3)
//	ON CONFLICT (idempotency_key) DO NOTHING
//	-- then read the digest back, and fail if it is another one
//
// A WHERE clause that compares a digest, times and states, and keys of the business are fine.
package payloadoverwrite
