package gen

// RunWith is [Run] with other kinds of directives.
var RunWith = run
