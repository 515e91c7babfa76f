// Package value has what the runtime does with the values of handlers: the exact bytes that are stored for them, the
// digests by which two payloads are known to be the same, the identifiers that are derived from them, and texts in a form
// that Postgres takes. All of it is pure: the same in, the same out, on every machine.
package value
