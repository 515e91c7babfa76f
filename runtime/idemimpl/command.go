package idemimpl

import (
	"context"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/internal/value"
)

// Commands are rows of an effect that leave the database afterwards. What sends them is package outbox;
// this file is what that package needs of the step that writes them.

// KeepCommand keeps a command, and writes it in the transaction that completes the step, as [Effect.Record] does
// with a row. The first of e.Columns takes the command's id, which is derived here; args are the values of the
// others. item has the places in e.Columns that tell several commands of one step apart. Once the
// completion has committed, whoever listens on the schema's channel is told wakes.
func (e *Effect) KeepCommand(ctx context.Context, item []int, wakes string, args ...any) error {
	ex, err := step.Of(ctx)
	if err != nil {
		return err
	}
	row, err := e.command(ex.RunID(), ex.Node(), item, args)
	if err != nil {
		return ex.Missing(err)
	}
	row.Wakes = wakes
	return ex.Record(row)
}

// WriteCommand writes a command now, in a transaction of the caller's, for code that runs outside of any step.
// key stands for the run, and the node is empty: the same key gives the same command. Another payload under it is
// a [runtime.MismatchError], and aborts the transaction.
func (e *Effect) WriteCommand(ctx context.Context, tx store.Execer, key string, item []int, args ...any) error {
	row, err := e.command(key, "", item, args)
	if err != nil {
		return err
	}
	if _, err = tx.Exec(ctx, row.SQL, row.Args...); err != nil && failure.Guard(err, e.Guard) {
		return &failure.MismatchError{Table: e.Table, RunID: key, Err: err}
	}
	return err
}

// command is [Effect.row] with the command's id in its first column. The digest does not cover the id, which says
// nothing about the payload.
func (e *Effect) command(runID, node string, item []int, args []any) (step.Write, error) {
	row, err := e.row(runID, node, append([]any{nil}, args...))
	if err != nil {
		return step.Write{}, err
	}
	values := row.Args[3:]
	of := Effect{Columns: e.Columns, Key: item}
	told, err := of.keyDigest(values)
	if err != nil {
		return step.Write{}, err
	}
	id := value.DerivedID("cmd_", "idem command", e.Table, runID, node, told)
	values[0], row.Key = id, id
	return row, nil
}
