package runtime

import (
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// rowsOf are the rows that a group writes to one table, or the steps that it enqueues.
type rowsOf struct {
	effect *Effect // nil: enqueued steps
	rows   []*pendingWrite
	after  []*rowsOf  // what has to be written before
	last   *execution // the last step with rows in it
	placed bool
}

// rowsByTable sorts a group's writes by their table. A table comes after those to which any step writes before it, since
// its rows may refer to theirs. Tables with business keys stay in the order in which the sorted group writes to them, so
// that groups do not lock rows crosswise. Where that cannot be, because two steps disagree, there is no result.
func rowsByTable(group []*execution) []*rowsOf {
	w := writtenTables{of: map[*Effect]*rowsOf{}}
	for _, ex := range group {
		w.add(ex)
	}
	return inOrder(w.tables)
}

// writtenTables are the tables of a group, in the order in which it first writes to them.
type writtenTables struct {
	tables  []*rowsOf
	of      map[*Effect]*rowsOf
	locking *rowsOf // the last one with a business key
}

// add adds the rows of a step.
func (w *writtenTables) add(ex *execution) {
	var before *rowsOf
	for i := range ex.pending {
		row := &ex.pending[i]
		t := w.table(row.effect)
		t.rows = append(t.rows, row)
		if t.last == ex {
			continue
		}
		if before != nil && !slices.Contains(t.after, before) {
			t.after = append(t.after, before)
		}
		t.last, before = ex, t
	}
}

func (w *writtenTables) table(e *Effect) *rowsOf {
	t := w.of[e]
	if t != nil {
		return t
	}
	t = &rowsOf{effect: e}
	w.of[e], w.tables = t, append(w.tables, t)
	if e != nil && e.Business {
		if w.locking != nil {
			t.after = append(t.after, w.locking)
		}
		w.locking = t
	}
	return t
}

// inOrder puts each table behind those that come before it.
func inOrder(tables []*rowsOf) []*rowsOf {
	ordered := make([]*rowsOf, 0, len(tables))
	for len(ordered) < len(tables) {
		next := slices.IndexFunc(tables, (*rowsOf).isNext)
		if next < 0 {
			return nil
		}
		tables[next].placed = true
		ordered = append(ordered, tables[next])
	}
	return ordered
}

func (t *rowsOf) isNext() bool {
	return !t.placed && !slices.ContainsFunc(t.after, func(before *rowsOf) bool { return !before.placed })
}

// queue queues the rows as one statement with an array per column where there is one, else one by one.
func (t *rowsOf) queue(b *pgx.Batch) {
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

// together gives the rows of a group by table where they may be written by one statement each, else nothing. The modes of
// pgx that know nothing of the server's types cannot encode the arrays.
func (w *Worker) together(group []*execution) []*rowsOf {
	switch w.base.ConnConfig.DefaultQueryExecMode {
	case pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol:
		return nil
	}
	if len(group) < 2 {
		return nil
	}
	for _, ex := range group {
		if ex.step.handler.failing.Load() > togetherLimit {
			return nil
		}
	}
	return rowsByTable(group)
}
