// Package commands is what the soak of the outbox queues: two outboxes, and two handlers whose steps queue commands in them.
//
// Everything between a handler and the wire is what a service has: idem_gen.go and the SQL in migrations are generated
// from the directives. The steps of [Announce] are completed in groups, whose commands are written by one statement a
// table. Those of [Tell] use their transaction, and are completed each alone.
package commands

//go:generate go run github.com/idem-go/idem/cmd/idem generate --tests=false .
