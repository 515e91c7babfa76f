// Package lease is a worker's care for the steps that it has claimed, from the claim until their end is recorded: it renews
// their leases, stops those that it has lost, and settles in the database those that are not completed.
//
// A [Held] step is fenced by its epoch, which the claim has raised. Everything that is written of it names that epoch and
// changes nothing where it has moved on. Package claim brings steps into a [Keeper]'s care, package commit completes them.
package lease
