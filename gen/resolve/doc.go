// Package resolve turns syntax and types into the model, and is the one place where the rules about
// directives are checked. Everything that is wrong in a run is said at once: a rule that fails stops
// what depends on it and nothing else.
//
// What a directive becomes, its [Kind] says. A [Resolver] is what kinds work with: it finds the function or the struct,
// resolves payloads, columns, keys and tables, and takes what is wrong.
package resolve
