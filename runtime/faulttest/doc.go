// Package faulttest tries a handler with the faults that can befall it, and tells whether its effects still happen
// once. idem generates tests that call it; call it by hand for a handler that is not generated. Only tests may
// import it: it defines the flag -idem.report.
//
// # How it knows what is right
//
// The handler is run without any fault first, and what is then in the database is what must be there after each fault
// and the recovery from it: the rows of every table, not only of those that idem knows, the steps that it enqueued, and
// its output. A step that is given up must leave nothing. Generated ids and the time may differ: the handler is run a
// second time without a fault, and what differs then is not compared; a generated id still has to stand wherever it
// stood. Between a handler's return and its step's completion nothing that it wrote may be seen by others, since it
// would stay if the step never completed.
//
// A difference is shown as rows:
//
//	the step completed, and the database is not as without the fault
//	table payments: 1 row more than without the fault
//	  + {order_id: "o-1", amount_cents: 100}   (the same row again under another key: a second effect)
//
// # The faults
//
// Each fault is a subtest with a database of its own, a copy of a template, and workers of its own.
//
//   - The worker's process is killed, by SIGKILL: after the claim, before the write, after it, during the commit, after
//     it, and at every run until the limit. For these the test binary runs itself as the worker; they are left out with
//     -short and on Windows.
//   - The attempt fails: by an error, a panic, an SQL error that is swallowed; by a timeout after the write, before it,
//     and long before it. At every attempt, until the limit.
//   - The lease runs out while the handler runs: another worker takes over, and the first one writes afterwards, or
//     fails. The step is cancelled; the worker is cut off from the database, is told to stop, or is one of two that
//     claim at once.
//   - The database refuses: a serialization failure at each write and at the commit, an error at each write.
//   - An input or an output is over its limit, or cannot be stored.
//   - Enqueueing is rolled back, is repeated, comes with another input under the same key. Another payload stands under
//     the key of an effect: the handler may be refused, but must not complete as if it were its own.
//   - For each exchange of the worker with the database in the run without a fault, its request is lost, and its reply.
//
// A fault that did not happen fails its subtest. What a handler does through connections of its own, past its Context,
// is not cut; that it shows before the completion is.
//
// # What leaves the database
//
// While a handler is tried, nothing is reached outside. Its calls of providers never get to the author's functions: they
// go to a ledger (package ledger of runtime/provider) in the test's own process, which outlives those that are killed,
// counts requests and effects per key, and answers for the provider. A lookup and an undo are answered too, if the
// provider has them. Nothing has to be said in the test: the run without a fault shows which providers a handler calls,
// and which outboxes it uses.
//
// A receipt is made up from its type: its texts and numbers name the effect, so that a second one would show.
// [Handler].Receipts and [F.Receipt] give another one to a handler that looks at what it gets. [F.Called] has a call of
// another step, for a handler that takes it back.
//
// After that run the commands are relayed to the ledger as well, by a relay of the outbox's own. Under each fault a call
// must have one effect, under the key that it had without the fault, and one request unless the fault asks for more; a
// step that completes must know what has become of its calls.
//
// The first call of each provider, and the first that is taken back, meet with these:
//
//   - The worker's process is killed when the call is about to be sent, and when it was done and its answer is not stored.
//     A compensation is interrupted twice.
//   - The provider is not reached; it does what is asked, and its answer is lost; it says that it is still at it; it rejects; it has another payload
//     under the key; it asks to come again later; its window is over, and it has forgotten the key. The call is looked up,
//     is sent again under the same key, or is left to an operator, as the provider allows: the test is then the operator,
//     and says what is true. Neither attempts nor reclaims may grow while the step waits.
//
// One command of each outbox, and its relay, with these:
//
//   - The relay's process is killed after its claim, and after a send. Its claim and its mark are lost on their way, and
//     so are the database's replies.
//   - The receiver takes the command, and its answer is lost; it is still at it; it rejects; it has another payload under
//     the id; it asks to come again later; it answers, or fails, when another relay has the command already.
//
// A request that a handler sends by itself, past its providers, is sent, and is not seen. A window that is shorter than
// an attempt may take, with margin and pause, lets nothing be sent again, and is taken for none.
//
// # What a handler must be
//
// It must do the same at each run: it is called in one process several times, and in other processes too. An input that
// is sampled must be one that it completes with. Tables that do not count, such as a log of attempts, are named by
// [Handler].Ignore; a single fault that does not apply is left out by go test's own -skip. Each handler is tried once in
// a test or a subtest.
//
// With -v each test ends with a table of its faults. The flag -idem.report=FILE collects these tables of all tests in
// FILE.md and FILE.json; a relative FILE is in the folder of the package that is tested:
//
//	go test ./billing -run Faults -args -idem.report=/tmp/faults
package faulttest
