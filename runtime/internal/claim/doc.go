// Package claim brings steps to a worker: it counts the free places of a queue, claims as many steps as there is room for,
// and rests while there is nothing to do. What a claim looks at is decided by package schedule; what becomes of the steps, by
// whoever [Loop].Start gives them to.
package claim
