// Package flow follows values through a package: from what the table of package known calls a source,
// through conversions, concatenations, helpers, closures and struct fields, to where a deduplication
// key, a statement or a transaction stands. It reports nothing; the rules ask it.
//
// A package goes through these steps:
//
//   - The gate (gate.go) lets a package in that imports a framework of the table, or that speaks of keys.
//     All others get no SSA form.
//   - Each function is evaluated together with its closures (unit.go, eval.go, call.go) into abstract
//     values (value.go): which parts a string is made of, in order, and where each comes from.
//   - What a caller must know of a function is its summary (summary.go), a fact: callers in other packages
//     see what callers in the same package see.
//   - Sinks (sink.go), statements (statement.go), code that runs again (context.go) and open transactions
//     (transaction.go) are what the rules look at.
//
// Where something is not understood the value is opaque and comes from nowhere: the rules then say
// nothing.
package flow
