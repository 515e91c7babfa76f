package commit

import (
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/step"
)

// rowsOf are the rows that a group writes to one table, or the steps that it enqueues.
type rowsOf struct {
	table  *step.Table // nil: enqueued steps
	rows   []*step.Write
	after  []*rowsOf   // what has to be written before
	last   *lease.Held // the last step with rows in it
	placed bool
}

// rowsByTable sorts a group's writes by their table. A table comes after those to which any step writes before it, since
// its rows may refer to theirs. Tables with business keys stay in the order in which the sorted group writes to them, so
// that groups do not lock rows crosswise. Where that cannot be, because two steps disagree, there is no result.
func rowsByTable(group []*lease.Held) []*rowsOf {
	w := writtenTables{of: map[*step.Table]*rowsOf{}}
	for _, s := range group {
		w.add(s)
	}
	return inOrder(w.tables)
}

// writtenTables are the tables of a group, in the order in which it first writes to them.
type writtenTables struct {
	tables  []*rowsOf
	of      map[*step.Table]*rowsOf
	locking *rowsOf // the last one with a business key
}

// add adds the rows of a step.
func (w *writtenTables) add(s *lease.Held) {
	var before *rowsOf
	writes := s.Execution().Writes()
	for i := range writes {
		row := &writes[i]
		t := w.table(row.Table)
		t.rows = append(t.rows, row)
		if t.last == s {
			continue
		}
		if before != nil && !slices.Contains(t.after, before) {
			t.after = append(t.after, before)
		}
		t.last, before = s, t
	}
}

func (w *writtenTables) table(e *step.Table) *rowsOf {
	t := w.of[e]
	if t != nil {
		return t
	}
	t = &rowsOf{table: e}
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
	if t.table == nil || t.table.GroupSQL == "" || len(t.rows) == 1 {
		for _, row := range t.rows {
			row.Queue(b)
		}
		return
	}
	args := make([]any, len(t.rows[0].Args))
	for i := range args {
		args[i] = arrayOf{t.rows, i}
	}
	b.Queue(t.table.GroupSQL, args...)
}

// arrayOf is one argument of many rows as an array.
type arrayOf struct {
	rows []*step.Write
	at   int
}

var _ pgtype.ArrayGetter = arrayOf{}

// Dimensions implements [pgtype.ArrayGetter].
func (a arrayOf) Dimensions() []pgtype.ArrayDimension {
	return []pgtype.ArrayDimension{{Length: int32(len(a.rows)), LowerBound: 1}}
}

// Index implements [pgtype.ArrayGetter].
func (a arrayOf) Index(i int) any { return a.rows[i].Args[a.at] }

// IndexType implements [pgtype.ArrayGetter]: each element has its own.
func (a arrayOf) IndexType() any { return nil }
