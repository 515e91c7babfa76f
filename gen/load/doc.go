// Package load turns the packages that bear directives into syntax and types, fast, and also while
// they do not compile.
//
// Code that idem generates for is code that calls what idem has not generated yet. So the packages
// with directives ([Packages]) are parsed and type-checked here, without the bodies of their functions, and only
// what they import comes from the go command's export data. They are taken in import order: what was
// just generated for one joins it before its importers are checked, so that the first run sees what
// the second one sees. The generated file that lies on disk is never read.
//
// The checked types of a package with directives are of this run, those inside export data are of the
// last build. The same type can therefore exist twice: types are compared by path and name, never by
// identity.
package load
