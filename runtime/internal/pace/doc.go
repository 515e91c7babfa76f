// Package pace has the pauses of the runtime's loops: how long to wait after a failure, how waits are kept from
// coinciding, and how one ends early.
package pace
