// Command idem generates what the //idem: annotations of Go handlers ask for, and looks after the tables
// that the runtime keeps in Postgres.
//
//	idem init [dir]             begin in a package
//	idem generate [packages]    write the generated Go and the migrations, or check them
//	idem migrate up             make the tables of the runtime
//	idem demo                   see workers die and nothing be lost; idem soak does it for hours
//	idem help VERB              the flags of a verb
//	idem help directives        the annotations
//
// What demo and soak do is the program cmd/idemlab, which they build and launch, and which is no part of this one.
//
// The exit status is 0 when all is well, 1 for what a person must put right (diagnostics, files that are not
// up to date), 2 for a command line that makes no sense, and 3 when idem could not do its work.
package main
