// Package partialkey finds keys that name the run or the step, but not both.
//
// # partialkey
//
// All steps of a run share the identity of the run, and the identity of a step or an activity repeats
// in every run. A key of one alone makes different commands look the same: the second one is dropped.
//
// Bad:
//
//	mailer.Send(ctx, ctx.RunID(), to)
//
// Good:
//
//	mailer.Send(ctx, ctx.RunID()+":"+ctx.Node(), to)
//
// A constant that names the effect stands in for the step. Keys of the business, and the identity of a
// job, need neither.
package partialkey
