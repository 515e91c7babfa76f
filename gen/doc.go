// Package gen is the generator: annotated Go in, generated Go, its tests and migrations out.
//
// [Run] takes a module's packages through the stages, each a package of its own:
//
//	scan      which packages speak of idem at all
//	load      their syntax and types, also while they do not compile
//	resolve   directives and types become the model; all that is wrong is said at once
//	emit      the model becomes Go code
//	lock      what earlier runs made, and what may not change
//	schema    tables become migrations
//	output    what is on disk becomes what it should be
//
// Everything is made in memory first. A [Result] can be written, compared or printed; they all see the same
// files.
package gen
