package outbox

import (
	"fmt"
	"log/slog"
	"time"
)

// Command is what a [Sender] sends.
type Command struct {
	// ID is the command's identity. It is the same at every send, so a receiver that remembers it does the command once.
	ID string
	// RunID and Node name the step that queued the command; Node is empty for one that was queued outside of a step.
	RunID, Node string
	// Table is the table's name, as in SQL.
	Table string
	// To is the destination; "" when the table has none.
	To string
	// Key is what the table's order is kept by; "" when it keeps none.
	Key string
	// Body is what is to be sent, to the byte.
	Body []byte
	// Attempt counts the sends from 1. It is for logs, never for keys.
	Attempt int
	// QueuedAt is when the command was written, by the database's clock.
	QueuedAt time.Time
}

// LogValue keeps destination and body out of logs: either may hold secrets.
func (c Command) LogValue() slog.Value {
	return slog.GroupValue(slog.String("command_id", c.ID), slog.String("outbox", c.Table), slog.Int("attempt", c.Attempt))
}

// String names the command, without what may be secret.
func (c Command) String() string { return fmt.Sprintf("command %s of %s", c.ID, c.Table) }

// Format does the same for every verb.
func (c Command) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(c.String())) }
