// Package schedule decides what a worker looks at next, and when: which part of a queue a claim scans, which leases a sweep
// does, how retention walks through the table. It is pure: what was seen and the time go in, what to look at next comes out.
// There is no database, no goroutine, no lock and no clock in it; packages claim and maintenance do what it says.
//
// # Why it is not enough to look at everything
//
// While somebody holds an old snapshot open, a backup or a report, nothing that was changed since can be cleaned away, and
// every scan from the beginning of an index passes over all of it again. Without a bound the rate falls the longer that lasts.
// So each kind of scan has a place from which it usually begins, and a full scan, from the beginning, which finds what lies
// before: steps whose transaction committed late, leases that were locked at the time. Full scans take a thirtieth of the time
// at most. Usually they cost nothing, and come every few milliseconds; on an idle system every scan is one. Only while nothing
// was claimed of a queue yet is there no place to begin from: then every claim that is called for is a full scan.
//
//   - A claim begins at the queue's cursor, where the claims have come to in the order of its steps.
//   - A sweep begins at the watermark, up to when all expired leases were taken back.
//   - A pass of retention begins at its floor, an id up to which nothing is left.
//
// The constants stand in constants.go, each with the reason why it is what it is.
package schedule
