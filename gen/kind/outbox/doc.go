// Package outbox is the kind of //idem:outbox: a struct whose values are commands that leave the database once
// their step has completed. It has a table with what relays keep of each command, the functions that queue one,
// and the constructor of relays.
package outbox
