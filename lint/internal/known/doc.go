// Package known is what the linter knows of other people's code. All of it stands in table.txt, one
// line for each fact; a line of the same form in a project's own file extends it.
//
// A symbol is written as import path, type and name, joined by dots, without the path's major version:
// github.com/riverqueue/river/rivertype.JobRow.Attempt. The type of a promoted field or method is the
// one that declares it. In the path "..." stands for any rest, as a name "*" stands for any name.
package known
