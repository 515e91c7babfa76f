// Package kind is what a kind of directives is to the generator: handlers, effects, outboxes, providers. Each has a
// folder below this one, and nothing outside of it knows what is special about it; package registry lists them.
//
// A folder has a file, or several, for each stage that the kind has a part in, called after the stage:
//
//	kind.go        the [Kind] that the registry lists
//	directive.go   the directives and their arguments: what the parser, the checks and the help know
//	model.go       the declaration, plain data: its names, what it claims, its table
//	resolve*.go    syntax and types become the declaration (package resolve has what several kinds need)
//	lock*.go       what idem.lock keeps of it under its name (lock.Named)
//	table*.go      what its tables have beside columns and a key (schema.Form)
//	emit*.go       its Go code and SQL (emit.Declaration), and its tests (emit.Tested)
//
// A declaration answers the stages behind the model by the small interfaces named there, and has only those that it
// has something to say to: an effect has a table and no name of its own, a handler a name and no table. The stages
// are kept apart within a folder as they are elsewhere: what resolve files declare, emit files do not use. Kinds do not
// import each other.
//
// To add a directive: such a folder, and a line in package registry. gen/testdata/kind/reminder is a small one that has
// something to say to each stage; a test takes it through all of them.
package kind
