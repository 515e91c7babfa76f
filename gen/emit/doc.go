// Package emit turns a package's model into the text of its idem_gen.go: the typed definition and the
// registration of each handler, and for each effect its SQL with the functions that write it; and of its idem_gen_test.go, a test for each handler.
//
// Names come from the model (the author's words) and from a namer that keeps imports clear of whatever
// else is in scope; SQL comes from package templates. The same model always gives the same bytes.
package emit
