package runtime

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// rowsOf are the rows that a group writes to one table, or the steps that it enqueues.
type rowsOf struct {
	effect *Effect // nil: enqueued steps
	rows   []*pendingWrite
}

// rowsByTable sorts a group's writes by their table, in the order in which the tables are first written to: a row comes
// after those of its own step that it refers to.
func rowsByTable(group []*execution) (tables []rowsOf) {
	place := map[*Effect]int{}
	for _, ex := range group {
		for i := range ex.pending {
			row := &ex.pending[i]
			at, known := place[row.effect]
			if !known {
				at = len(tables)
				place[row.effect] = at
				tables = append(tables, rowsOf{effect: row.effect})
			}
			tables[at].rows = append(tables[at].rows, row)
		}
	}
	return tables
}

// queue queues the rows as one statement with an array per column where there is one, else one by one.
func (t rowsOf) queue(b *pgx.Batch) {
	if t.effect == nil || t.effect.GroupSQL == "" || len(t.rows) == 1 {
		for _, row := range t.rows {
			row.queue(b)
		}
		return
	}
	args := make([]any, len(t.rows[0].args))
	for i := range args {
		args[i] = arrayOf{t.rows, i}
	}
	b.Queue(t.effect.GroupSQL, args...)
}

// arrayOf is one argument of many rows as an array.
type arrayOf struct {
	rows []*pendingWrite
	at   int
}

var _ pgtype.ArrayGetter = arrayOf{}

// Dimensions implements [pgtype.ArrayGetter].
func (a arrayOf) Dimensions() []pgtype.ArrayDimension {
	return []pgtype.ArrayDimension{{Length: int32(len(a.rows)), LowerBound: 1}}
}

// Index implements [pgtype.ArrayGetter].
func (a arrayOf) Index(i int) any { return a.rows[i].args[a.at] }

// IndexType implements [pgtype.ArrayGetter]: each element has its own.
func (a arrayOf) IndexType() any { return nil }

// togetherLimit is the share of refused completions up to which the rows of a group are written together. A refusal
// then says nothing about whose row it was, so that all of it has to be sent again.
const togetherLimit = failingOne / 300

// together tells whether the rows of a group may be written by one statement per table. The modes of pgx that know
// nothing of the server's types cannot encode the arrays.
func (w *Worker) together(group []*execution) bool {
	switch w.base.ConnConfig.DefaultQueryExecMode {
	case pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol:
		return false
	}
	if len(group) < 2 {
		return false
	}
	for _, ex := range group {
		if ex.step.handler.failing.Load() > togetherLimit {
			return false
		}
	}
	return true
}
