package outbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/internal/double"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/internal/value"
)

// Table describes a table of commands. Generated code declares one per annotated struct; what its SQL must do stands
// in this package's documentation.
type Table struct {
	// Effect says how a command is written. Its first column is command_id; the others are the author's, in the order
	// of the arguments of Queue, and then body where the row is sent as JSON.
	Effect idemimpl.Effect
	// Item has the places in Effect.Columns of what tells several commands of one step apart.
	Item []int
	// Destinations: a column of the table says where each command goes.
	Destinations bool
	// Ordered: a column of the table keeps the order of its commands, per value.
	Ordered bool
	// ClaimSQL takes commands that are due.
	ClaimSQL string
}

// Queue keeps a command, and writes it in the transaction that completes the step: both commit, or neither does. A
// relay sends it afterwards. The same command again is ignored; another payload under its id is a
// [runtime.MismatchError].
func (t *Table) Queue(ctx runtime.Context, args ...any) error {
	return note(ctx, t, t.Effect.KeepCommand(ctx, t.Item, t.wakes(), args...))
}

// QueueTx writes a command in a transaction of the caller's, outside of any step. key stands for the run: queueing
// again under it, also much later, gives the same command. Relays find the command at their next look; [Notify]
// after the commit makes that at once.
func (t *Table) QueueTx(ctx context.Context, tx DB, key string, args ...any) error {
	if key == "" {
		return errors.New("idem: a command that is queued outside of a step needs a key, the same one at every try")
	}
	return note(ctx, t, t.Effect.WriteCommand(ctx, tx, key, t.Item, args...))
}

// note tells a test that stands for the receivers which commands it has to look for.
func note(ctx context.Context, t *Table, err error) error {
	if err != nil {
		return err
	}
	if outside := double.Of(ctx); outside != nil {
		outside.Queued(t)
	}
	return nil
}

// DB is what commands are written with: a pgx.Tx, a [runtime.Tx], a connection or a pool.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// wakes is what relays of the table listen for.
func (t *Table) wakes() string { return "outbox " + t.Effect.Table }

// Notify tells the relays of a table that there are commands. table is its name as in SQL, schema the runtime's; ""
// is the default one. Call it after the commit: NOTIFY within a busy transaction makes others wait for its end.
func Notify(ctx context.Context, db DB, schema, table string) error {
	_, err := db.Exec(ctx, "SELECT pg_notify($1::text, $2::text)", store.Channel(schema), "outbox "+table)
	return err
}

// JSON encodes a row that is sent as a whole. Generated code calls it once, when the command is queued, so that every
// send has the same bytes.
func JSON(row any) ([]byte, error) {
	body, err := value.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("idem: the command's row as JSON: %w", err)
	}
	return body, nil
}

// check refuses a descriptor that this package cannot work with.
func (t *Table) check() error {
	switch {
	case t == nil || t.Effect.Table == "" || t.ClaimSQL == "" || t.Effect.InsertSQL == "":
		return errors.New("idem: the outbox's descriptor is not complete; run idem generate again")
	case len(t.Effect.Columns) == 0 || t.Effect.Columns[0] != "command_id":
		return fmt.Errorf("idem: the first column of outbox %s must be command_id; run idem generate again", t.Effect.Table)
	}
	return nil
}

// quoteTable checks a table's name from outside, such as a command line, and quotes it.
func quoteTable(name string) (string, error) {
	if name == "" || strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("idem: %q is not the name of a table", name)
	}
	return pgx.Identifier(strings.SplitN(name, ".", 2)).Sanitize(), nil
}
