// Package ambiguouskey finds keys of two parts that nothing separates.
//
// # ambiguouskey
//
// With "a"+"bc" and "ab"+"c" two commands have the same key, and the second one is dropped. The rule
// is on in packages that import idem; -ambiguouskey.everywhere turns it on in all.
//
// Bad:
//
//	key := ctx.RunID() + ctx.Node()
//
// Good:
//
//	key := ctx.RunID() + ":" + ctx.Node()
//
// A part of fixed length, a prefix that is a constant and parts with their length in front of them are
// fine.
package ambiguouskey
