// Package runtime runs the steps of annotated handlers so that their effects happen once, however often the
// handlers run. A service uses [Client] to enqueue and [Worker] to work; a handler gets a [Context]. Generated code binds
// handlers to a [Registry], and what only it calls is in package idemimpl. How a step is executed, whoever delivers it, is in
// internal/step; ARCHITECTURE.md has the life of a step, file by file.
//
// # The life of a step
//
// A step is one row, found by its run and its node. It is enqueued by a client, within the caller's
// transaction ([Action.EnqueueTx]) or with another step's completion ([EnqueueActionCompletion]). A worker claims it,
// which raises the row's epoch and sets a lease. The handler runs without holding a lock or, until its first
// statement, a connection. What it records (the generated Record functions) is kept in memory. When it returns, its writes and
// the row's change to completed commit together: the completion names the epoch that the claim set, and if
// another worker has raised it since, the whole transaction rolls back.
//
// So a handler may run any number of times, on any number of workers, and what it writes to this database is there
// once. What leaves the database is not covered by this: it is at-least-once on the wire.
//
// # How a completion travels
//
// A handler that only records needs one round trip: its writes, the fenced completion and the commit are one
// pipeline. Steps that finish while another commit is under way are committed as a group, in one such pipeline; there
// is no timer, so an idle system waits for nothing. If the database refuses a step's write, that step is completed
// alone, and its error stays its own. A handler that uses [Context.CompletionTx] directly has a connection from its first
// statement on, with BEGIN riding in front of it, and takes one more round trip for the end.
//
// # When things go wrong
//
// A failed or timed-out attempt starts another one, after a backoff, up to a limit. A worker that dies keeps its
// lease until it runs out; the sweep of any other worker then gives the step back with its attempt
// unchanged. A connection lost while committing leaves the outcome open: the step's row says what happened. A
// database that restarts or refuses writes is waited for, and costs nobody an attempt. A step can wait by itself, for
// what is not known yet ([Wait]): so do calls of other systems whose outcome is unknown, see runtime/provider.
//
// # Why it is fast, and what that costs
//
// What a durable step costs is mostly round trips, statements and versions of its row. A claim takes what there is room
// for in one statement; a row has three versions in its life, and no history beside it on the ordinary path; effects are
// data until the commit, so that a whole group of steps takes one round trip and one write to the disk. All statements
// are prepared, and find their rows by an index whatever the statistics say (a test asserts the plans). While somebody
// holds an old snapshot open, claims go on from where the queue has come to and do not pass over what is done.
//
// Grouping has its price. Steps of a group wait for each other's round trip, which adds milliseconds under load, and
// nothing on an idle system. A write that the database refuses dissolves its group's transaction, which is sent again
// without that step; a handler of which more than about 2 % are refused is not grouped for a while. And only effects that
// are recorded can be grouped: a handler that reads or writes through [Context.CompletionTx] has a transaction, and its two
// round trips, to itself. Config.GroupSteps = 1 turns grouping off.
//
// # What stays
//
// Steps that have ended stay until [Config].Retention says otherwise; the rows that effects wrote are never removed.
package runtime
