package runtime

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
)

// Commands are rows of an effect that leave the database afterwards. What sends them is package outbox;
// this file is what that package needs of the step that writes them.

// Execer is the least that a row is written with: a transaction of pgx, [Tx], a connection, a pool.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// KeepCommand keeps a command, and writes it in the transaction that completes the step, as [Effect.Record] does
// with a row. The first of e.Columns takes the command's id, which is derived here; args are the values of the
// others. item has the places in e.Columns that tell several commands of one step apart. Once the
// completion has committed, whoever listens on [Channel] is told wakes.
func (e *Effect) KeepCommand(ctx Context, item []int, wakes string, args ...any) error {
	ex, err := executionOf(ctx)
	if err != nil {
		return err
	}
	row, err := e.command(ex, item, args)
	if err != nil {
		return err
	}
	row.wakes = wakes
	return ex.record(row)
}

// WriteCommand writes a command now, in a transaction of the caller's, for code that runs outside of any step.
// key stands for the run, and the node is empty: the same key gives the same command. Another payload under it is
// a [MismatchError], and aborts the transaction.
func (e *Effect) WriteCommand(ctx context.Context, tx Execer, key string, item []int, args ...any) error {
	outside := &execution{step: &heldStep{runID: key}}
	row, err := e.command(outside, item, args)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, row.sql, row.args...)
	return e.explain(outside, err)
}

// command is [Effect.row] with the command's id in its first column. The digest does not cover the id, which says
// nothing about the payload.
func (e *Effect) command(ex *execution, item []int, args []any) (pendingWrite, error) {
	row, err := e.row(ex, append([]any{nil}, args...))
	if err != nil {
		return pendingWrite{}, err
	}
	values := row.args[3:]
	of := Effect{Columns: e.Columns, Key: item}
	told, err := of.keyDigest(values)
	if err != nil {
		return pendingWrite{}, err
	}
	id := derivedID("cmd_", "idem command", e.Table, ex.step.runID, ex.step.node, told)
	values[0], row.key = id, id
	return row, nil
}

// Channel is the NOTIFY channel of a schema; [DefaultSchema] if it is "". Its payloads name what has got work.
func Channel(schema string) string {
	if schema == "" {
		schema = DefaultSchema
	}
	return channelName(schema)
}
