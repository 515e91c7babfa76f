// Package ignore reads the directives
//
//	//idem:ignore rule[,rule] -- reason
//
// On a line of its own a directive is for the statement below it, at the end of a line it is for that
// line. Without a reason it is for nothing.
package ignore
