package step

import (
	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/store"
)

// Table describes what rows are written to. Package idemimpl says what its fields mean; all rows of a table have the same
// pointer.
type Table struct {
	Table        string
	Columns      []string
	Key          []int
	Business     bool
	Updates      bool
	Guard        string
	InsertSQL    string
	GroupSQL     string
	ReturningSQL string
	SelectSQL    string
}

// Write is a statement that waits for the completion, or for the handler's next direct one.
type Write struct {
	SQL    string
	Args   []any
	Table  *Table // nil: a step that is enqueued
	Node   string // of a step that is enqueued
	Wakes  string // whom to wake once it is committed
	Key    string // tells the rows of one table apart, within this step
	Digest string
}

// Queue queues the statement.
func (p *Write) Queue(b *pgx.Batch) { b.Queue(p.SQL, p.Args...) }

// Explain says what an error of the statement means: a guard's refusal is a mismatch.
func (p *Write) Explain(ex *Execution, err error) error {
	switch {
	case err == nil:
		return nil
	case p.Table != nil && failure.Guard(err, p.Table.Guard):
		return ex.Mismatch(p.Table.Table, err)
	case p.Table == nil && failure.Guard(err, store.InputGuard):
		mismatch := &failure.MismatchError{Table: "steps", RunID: p.Args[0].(string), Node: p.Node, Err: err}
		ex.Refuse(mismatch)
		return mismatch
	}
	return err
}

// Size returns roughly how many bytes the write puts into a group.
func (p *Write) Size() int {
	n := 64
	for _, arg := range p.Args {
		switch arg := arg.(type) {
		case string:
			n += len(arg)
		case []byte:
			n += len(arg)
		default:
			n += 16
		}
	}
	return n
}

// writeKey is the identity of a row within one step.
type writeKey struct {
	table *Table
	key   string
}

// Record keeps a row, once per key. The same key with another digest is a mismatch.
func (ex *Execution) Record(row Write) error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if err := ex.aliveLocked(); err != nil {
		return ex.late(err)
	}
	key := writeKey{row.Table, row.Key}
	switch digest, again := ex.keys[key]; {
	case again && digest == row.Digest:
		return nil
	case again:
		err := &failure.MismatchError{Table: row.Table.Table, RunID: ex.Step.RunID, Node: ex.Step.Node}
		if ex.refused == nil {
			ex.refused = err
		}
		return err
	}
	if ex.keys == nil {
		ex.keys = map[writeKey]string{}
	}
	ex.keys[key] = row.Digest
	ex.pending = append(ex.pending, row)
	return nil
}

// Follow keeps the enqueueing of a step.
func (ex *Execution) Follow(row Write) error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if err := ex.aliveLocked(); err != nil {
		return ex.late(err)
	}
	ex.pending = append(ex.pending, row)
	return nil
}

// Writes returns all that was kept, in its order. It is for after the handler's return.
func (ex *Execution) Writes() []Write { return ex.pending }

func (ex *Execution) unflushed() []Write {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.pending[ex.flushed:]
}

func (ex *Execution) takeUnflushed() []Write {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	writes := ex.pending[ex.flushed:]
	ex.flushed = len(ex.pending)
	return writes
}

// flushAgain lets all kept writes be sent again.
func (ex *Execution) flushAgain() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.flushed = 0
}
