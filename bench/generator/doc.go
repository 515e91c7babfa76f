// Command generator measures idem generate beside the least that a loader of types can do, and beside stringer and moq
// on packages of the same size and with the same imports.
//
// Each program is a process of its own, and all run in turn, again and again, so that what else the machine does falls
// on all of them alike. The bare load is this program too, started once more: it has golang.org/x/tools/go/packages
// load the package's types from export data, and does no more. Ratios are of one round; the table has their medians.
// CPU time is that of a program and of the go commands that it starts, and says more than wall time where others use
// the machine as well. Memory is the largest of these processes alone.
//
// What else compiles in the checkout while this runs falls on whoever loads it next: give -idem a copy then.
package main
