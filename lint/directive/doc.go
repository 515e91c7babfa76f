// Package directive finds directives of idem that are not right.
//
// # directive
//
// The rule says of a package's directives what idem generate says, with the same codes and words: unknown
// and misspelt directives and arguments, comments that look like a directive and are none, signatures
// that do not fit, names that collide. Whoever runs the linter sees it in the editor and before
// generating.
//
// Bad:
//
//	// idem:step charge
//	func Charge(ctx context.Context, in Input) error
//
// Good:
//
//	//idem:action charge
//	func Charge(ctx runtime.Context, in Input) error
package directive
