// Package effect is the kind of //idem:effect: a struct whose values are rows that a step writes once, in the
// transaction that completes it. It has a table under a key, the SQL of its statements, and the functions that
// write a row.
package effect
