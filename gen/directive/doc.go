// Package directive knows the directives that idem reads: which there are, where each may stand, what
// arguments each takes. A [Registry] says it; the parser, the checks, the suggestions and the
// help text all come from it. The kinds of directives below gen/kind give it its content.
//
// A directive is a line of its own in the comment directly above a declaration:
//
//	// Charge books one row.
//	//
//	//idem:action charge timeout=10s
//	func Charge(ctx runtime.Context, in ChargeInput) error
//
// It is Go's form for directives: no space after the slashes, no space around the colon, then words
// separated by spaces. A word is NAME, where the directive has one, or key=value. Quotes are Go's, and
// stand around a whole word: "table=my ledger". Nothing may follow on the line; a comment goes on
// another line.
//
// Whatever looks like a directive of idem and is none is an error, because a directive that is
// silently ignored is the hardest kind of mistake to find.
package directive
