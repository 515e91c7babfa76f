// Package emit turns a package's model into the text of its idem_gen.go and idem_gen_test.go. What the files hold, the
// declarations write themselves ([Declaration], [Tested]); this package has the file around them: its header, its
// imports under names that nothing else in scope has, its form. It also has what several kinds write with: columns as
// arguments and targets, comments, lists that fit their lines.
//
// Names come from the model (the author's words) and from a namer that keeps imports clear of whatever
// else is in scope; SQL comes from package templates. The same model always gives the same bytes.
package emit
