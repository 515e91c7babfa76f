// Package lock is idem.lock: the settings of a part of a module, and what earlier runs have made there.
//
// The file makes two things safe. Deleting: what is not listed was not made by idem and is never removed.
// And naming: a durable name (of a node, a provider) or a table that stands in the file may have effects in flight, so
// its name and its key change only when the author says so.
//
// What there is beside files and tables, the kinds of directives say: each has a [Section] for its durable names, and
// the rules of this package are the same for all of them.
package lock
