// Package gen is the generator: annotated Go in, generated Go, its tests and migrations out.
//
// [Run] takes a module's packages through the stages, one after the other:
//
//	scan      which packages speak of idem at all (package scan)
//	load      their syntax with its directives, and the types of what they import (directive, load)
//	resolve   directives and types become the model; all that is wrong is said at once (resolve, model)
//	emit      the model becomes Go code and tests (emit)
//	check     the code is type-checked with its package, and idem.lock says what may not change (lock, schema)
//	plan      what should be is set against what is on disk (output); [Result.Write] writes it
//
// Resolve and emit take turns: the packages come in import order, and what is emitted for one joins it before the next
// is resolved, which may import it. So resolve is a sequence that emit goes through.
//
// What is special about a directive, none of these stages knows: it stands in the folder of its kind, below gen/kind,
// and package registry lists the kinds.
//
// Everything is made in memory first. A [Result] can be written, compared or printed; they all see the same
// files.
package gen
