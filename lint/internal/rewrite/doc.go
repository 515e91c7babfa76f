// Package rewrite makes the changes of the source that suggested fixes are. A function that cannot be
// sure that the program still compiles and means the same gives nothing.
package rewrite
