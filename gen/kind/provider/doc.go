// Package provider is the kind of //idem:provider: a function or method that calls another system, once per run
// and node. It has a durable name, a definition with its lookup and its undo, and the functions that make a
// call and take it back.
package provider
