// Package keytoolong finds keys that are longer than their receiver takes.
//
// # keytoolong
//
// A provider refuses a key over its limit, or cuts it off, which makes different keys the same. The
// rule counts what a key has at the least: constants, digests, padded numbers.
//
// Bad:
//
//	p.SetIdempotencyKey(strings.Repeat("service-", 40) + id) // Stripe takes 255 bytes
//
// Good:
//
//	sum := sha256.Sum256([]byte(prefix + id))
//	p.SetIdempotencyKey("refund-" + hex.EncodeToString(sum[:]))
//
// What has no known length counts for nothing.
package keytoolong
