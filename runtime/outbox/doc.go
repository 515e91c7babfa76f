// Package outbox sends commands out of Postgres: what a step asks other systems to do, written with the step's
// completion and sent afterwards.
//
// # What is promised
//
// A command is written exactly when its step completes. From there on it is at-least-once on the wire: a relay may die
// between a send and the note of it, and another one sends again. It is effectively once where the receiver honours the
// command's id, which never changes, for at least as long as a command can be sent again; [Config] names that time, the
// window. Past it, a command whose outcome is not known is not sent again by itself. The receiver's answer, the receipt,
// is stored with the command in the same statement that makes it delivered.
//
// The id is derived from the table, the step's run and node, and the item; with [Table.QueueTx] from the table and the
// caller's key. Queueing a command again under its id does nothing, and with another payload fails closed.
//
// # The relay
//
// A [Relay] takes commands that are due in one statement, which raises each command's epoch and gives it a lease, and
// commits: no transaction is open and no row is locked while something is sent. It takes the next ones meanwhile, and
// records outcomes, as many at a time as there are. A relay that lost its lease changes nothing any more: the epoch is
// the fence. Which commands it takes depends on their state alone and never on a position, so that one that commits late
// is not passed over.
//
// Destinations are served in turns, each with its own limit and its own breaker, and the relay holds no more commands for
// one than it can send in a quarter of the lease: a slow or failing destination delays itself. With order_by= only
// the first pending command of each key is taken; while it fails, its key waits and no other does. When it has ended,
// whatever its end, the next one follows. Among transactions that run at the same time there is no order.
//
// What a send's [Outcome] leads to:
//
//	confirmed       delivered
//	rejected        rejected
//	unknown         sent again, after a backoff; dead after Config.MaxAttempts, or past the window
//	retry after     the same, no earlier than the receiver asked for; its destination gets nothing until then
//	quarantined     quarantined: the receiver knows the id with another payload
//	parked          parked: the configuration has to be put right
//
// The column attempts counts sends. It is raised by the claim, so that a command which kills its relay is given up at
// last; a command that was claimed and not sent gets its attempt back.
//
// [Operator] and [Replay] are for operators, as is the command idem outbox. [Inbox] is the consumer's side, for services of one's own.
//
// # What is generated
//
// For an annotated struct the generator writes a table, a [Table], two functions that queue and a constructor of relays;
// sample_test.go of this package has all of it for one struct, to the letter, and forms_test.go the other forms.
//
// The table has the columns command_id, run_id, node, payload_digest, then the author's in the order of the struct, then
// body (bytea NOT NULL) if the row is sent as JSON, then state, attempts, created_at, first_attempt_at, next_attempt_at,
// claim_epoch, claim_expires_at, receipt, receipt_digest, last_error, finished_at; with order_by= it begins with an
// identity column seq. The fields that to= and order_by= name are strings; their columns, and those of items, are text
// COLLATE "C" NOT NULL. A body field is bytea, or text for a string; never json or jsonb, which change bytes. There are
// two indexes, of pending and of finished commands. The first one is on (key, seq) with order_by=, else on (destination,
// next_attempt_at) with to=, else on (next_attempt_at).
//
// Table.Effect.Columns are command_id, the author's columns, and body if there is one. InsertSQL takes run_id, node and
// payload_digest as $1 to $3, then these, and refuses another payload by the guard, as for effects. GroupSQL does the
// same with an array for each of them, or is empty. ClaimSQL has named parameters and takes at most @limit commands
// that are pending and due (next_attempt_at <= now()), are under no claim that still runs (claim_expires_at), and are
// not locked by somebody else. For each it raises claim_epoch and attempts, sets first_attempt_at if it is null, and sets
// claim_expires_at to @lease microseconds from now. It changes nothing that is indexed, and the table leaves half of each
// page for it, so that a claim writes no index. It returns, in this order: command_id, run_id, node, claim_epoch,
// attempts, the microseconds since first_attempt_at, created_at, destination and key, each "" where there is none, and the body as
// bytea. With to= and without order_by= it goes through the destinations from @after on, in the order of "C", and takes
// from each at most what @rooms says for it in @destinations, else @share. With order_by= it goes through the keys from
// @after on, and takes the first pending command of each, if that is due; with to= also, none for a destination whose
// room is 0.
package outbox
