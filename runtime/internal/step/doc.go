// Package step is the core of the runtime: the execution of one step. It knows nothing of workers, leases and the steps'
// table. Whatever can deliver a step (the built-in worker, an HTTP handler, a job of another queue) is a host that calls it.
//
// A host says what surrounds it by a [Host], and what is to be run by a [Step]. It begins an [Execution], which is the
// context that the handler sees, and calls [Execution.Run]. The handler's writes are kept, or sent through the
// completion transaction: one of the execution's own, which begins with its first statement, or the caller's. When the
// handler is back, [Execution.Conclude] judges what that means, as an [Outcome]: completed, failed, waiting or lost. To
// complete, the writes that are still kept travel with the host's fence, and with the commit where the transaction is the
// execution's own.
//
// [RunIn] does all of it for a host that has a transaction and wants an answer. Package commit, of the worker, completes
// many executions together instead.
package step
