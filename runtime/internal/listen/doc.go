// Package listen waits for notifications of one channel on a connection of its own, for as long as its caller
// lives: it reconnects, and notices a connection that has died in silence. Notifications are an optimisation; who
// uses them polls too.
package listen
