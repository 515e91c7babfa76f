// Package handler is the kind of //idem:action and //idem:step: a function or method that a worker runs once
// per run and node. It has a durable name, its node's, a typed definition that clients enqueue with, a
// registration for workers, and a generated test.
package handler
