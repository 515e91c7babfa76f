// Package object writes JSON objects whose fields come from several places. idem.lock is one: it holds what the
// generator knows itself, and what each kind of directives keeps in it, in an order that does not change.
package object
