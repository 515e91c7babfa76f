// Package relay soaks the outbox: workers queue commands with their steps, relays send them over HTTP, and both die all
// the time. It tells whether a command was lost, or had its effect twice.
//
// Workers and relays are child processes on a throwaway Postgres, each behind a proxy of its own. The receiver is real
// and in this process. It honours keys, and is as receivers are: it loses answers after it has done its work, asks to be
// left alone for a while, and is slow at one destination. A seed decides which fault hits whom and when, and which
// request the receiver treats badly.
//
// Tables and handlers are generated as a service's are. Every other step is completed in a group, whose commands are
// written by one statement a table, and the others use their transaction.
//
// A command is known by what it is about, the number of its step and its place in it, and not by idem's id: two ids for
// one command would show. A trigger of the soak's own counts what happens to each row, so that attempts can be compared
// with the requests that the receiver has seen.
package relay
