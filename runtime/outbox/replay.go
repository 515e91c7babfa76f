package outbox

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
)

// ReplayRequest is an operator's wish to have commands sent again, under the ids that they have.
type ReplayRequest struct {
	// Schema has the runtime's tables. Default: idem.
	Schema string
	// Table is the outbox, without quotes: webhook_outbox, or billing.webhook_outbox.
	Table string
	// IDs are the commands.
	IDs []string
	// Actor and Reason are stored with the commands, and must be given.
	Actor, Reason string
	// Window is how long receivers remember a command's id, as in [Config]. A command whose first send is longer ago is
	// left as it is, unless PastWindow says that it has been found out not to be done.
	Window     time.Duration
	PastWindow bool
	// Delivered allows to send again what has been delivered.
	Delivered bool
}

// Queryer is what [Replay] reads with: a pool, a connection or a transaction.
type Queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Replay lets finished commands be sent again: those that are dead, rejected, quarantined or parked. It returns the ids
// of those that will be; the others are unknown, pending, delivered, or past the window.
func Replay(ctx context.Context, db Queryer, q ReplayRequest) ([]string, error) {
	if q.Actor == "" || q.Reason == "" {
		return nil, errors.New("idem: a replay needs who asks for it, and why")
	}
	table, err := quoteTable(q.Table)
	if err != nil {
		return nil, err
	}
	schema := q.Schema
	if schema == "" {
		schema = runtime.DefaultSchema
	}
	// At once: either may have a name that stands for the other.
	sql := strings.NewReplacer(`"outbox"`, table, `"idem"`, pgx.Identifier{schema}.Sanitize()).Replace(sqlReplay)
	rows, err := db.Query(ctx, sql, pgx.NamedArgs{
		"ids": q.IDs, "table": table, "actor": q.Actor, "reason": q.Reason,
		"window": q.Window.Microseconds(), "past": q.PastWindow, "delivered": q.Delivered,
	})
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
