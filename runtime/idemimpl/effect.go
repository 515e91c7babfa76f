package idemimpl

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/value"
)

// Effect describes a table that steps write to, one row per key. Generated code declares one per
// annotated struct; the SQL stands there in full, for people to read.
type Effect struct {
	Table   string   // as in SQL, quoted
	Columns []string // the columns that the arguments are for, in their order
	// Key has the places in Columns of the business key, or of the item that tells several rows of
	// one step apart. Empty: one row per run and node.
	Key []int
	// Business: Key replaces run and node, instead of extending them.
	Business bool
	// Updates: another run may update the row under its business key; ReturningSQL then ends with a
	// column that tells whether the row was inserted.
	Updates bool
	// Guard is the CHECK constraint that a second payload under the key runs into.
	Guard string
	// InsertSQL takes run_id, node, payload_digest, then Columns.
	InsertSQL string
	// GroupSQL is InsertSQL for the rows of many steps: each parameter is an array of what InsertSQL takes. Empty: each
	// row needs a statement of its own, as one under a business key does.
	GroupSQL string
	// ReturningSQL is appended to InsertSQL to read the stored row back.
	ReturningSQL string
	// SelectSQL reads the stored row: by run_id, node and the item, or by the business key.
	SelectSQL string
}

// Record keeps a row, and writes it in the transaction that completes the step: both commit, or
// neither does. A key that the step has recorded before is ignored with the same payload, and is a
// [runtime.MismatchError] with another one. Rows are written in the order in which they were recorded.
func (e *Effect) Record(ctx context.Context, args ...any) error {
	ex, err := step.Of(ctx)
	if err != nil {
		return err
	}
	row, err := e.row(ex.RunID(), ex.Node(), args)
	if err != nil {
		return ex.Missing(err)
	}
	return ex.Record(row)
}

// Insert writes a row now, in the completion transaction, and scans the stored row into dest.
// inserted is false when the row was there before, with the same payload. Another payload under the
// key is a [runtime.MismatchError]; the transaction is then aborted.
func (e *Effect) Insert(ctx context.Context, dest []any, args ...any) (inserted bool, err error) {
	ex, err := step.Of(ctx)
	if err != nil {
		return false, err
	}
	row, err := e.row(ex.RunID(), ex.Node(), args)
	if err != nil {
		return false, ex.Missing(err)
	}
	targets := dest
	if e.Updates {
		targets = append(append(make([]any, 0, len(dest)+1), dest...), &inserted)
	}
	err = ex.Generated(ctx, e.InsertSQL+e.ReturningSQL, row.Args).Scan(targets...)
	switch {
	case err == nil:
		return inserted || !e.Updates, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return false, row.Explain(ex, err)
	}
	if err := ex.Generated(ctx, e.SelectSQL, e.keyArgs(row.Args)).Scan(dest...); err != nil {
		return false, err
	}
	return false, nil
}

// row converts and digests the arguments of a row.
func (e *Effect) row(runID, node string, args []any) (step.Write, error) {
	if len(args) != len(e.Columns) {
		return step.Write{}, fmt.Errorf("idem: %s takes %d values, got %d; run idem generate again", e.Table, len(e.Columns), len(args))
	}
	values, digested := make([]any, 3, 3+len(args)), make([]any, len(args))
	for i, arg := range args {
		digested[i] = arg
		if a, converted := arg.(argument); converted {
			if a.err != nil {
				return step.Write{}, fmt.Errorf("idem: column %q of %s: %w", e.Columns[i], e.Table, a.err)
			}
			arg, digested[i] = a.value, a.digested()
		}
		arg, err := snapshot(arg)
		if err != nil {
			return step.Write{}, fmt.Errorf("idem: column %q of %s: %w", e.Columns[i], e.Table, err)
		}
		values = append(values, arg)
	}
	digest, err := value.Digest(e.Columns, digested)
	if err != nil {
		return step.Write{}, fmt.Errorf("idem: %s: %w", e.Table, err)
	}
	values[0], values[1], values[2] = runID, node, digest
	key, err := e.keyDigest(digested)
	if err != nil {
		return step.Write{}, err
	}
	return step.Write{SQL: e.InsertSQL, Args: values, Table: (*step.Table)(e), Key: key, Digest: string(digest)}, nil
}

// keyDigest tells apart the rows that one step writes to the table.
func (e *Effect) keyDigest(values []any) (string, error) {
	if len(e.Key) == 0 {
		return "", nil
	}
	columns, key := make([]string, len(e.Key)), make([]any, len(e.Key))
	for i, at := range e.Key {
		columns[i], key[i] = e.Columns[at], values[at]
	}
	digest, err := value.Digest(columns, key)
	return string(digest), err
}

// keyArgs are the arguments of SelectSQL.
func (e *Effect) keyArgs(insertArgs []any) []any {
	var key []any
	if !e.Business {
		key = append(key, insertArgs[0], insertArgs[1])
	}
	for _, at := range e.Key {
		key = append(key, insertArgs[3+at])
	}
	return key
}
