// Package lint finds what makes the effect of a retried handler happen twice, in code that uses idem and
// in code that never heard of it.
//
// Each rule is an analyzer in a folder of its own, whose documentation says why it is there, with a bad
// and a good example. They stand on package internal/flow, which follows values to keys, statements and
// transactions, and on the table of package internal/known, which says what other people's functions do.
//
// Where a rule is wrong it can be silenced, with a reason:
//
//	//idem:ignore freshkey -- the provider treats this as a trace id, not as a key
//
// What a project's own functions do it can say in a file .idemvet, in the folder of its go.mod or above
// the packages that it is for, in the form of the table:
//
//	attempt example.com/shop/queue.Job.Tries
//	key     example.com/shop/bank.Client.Transfer arg=1
package lint
