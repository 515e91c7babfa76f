package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// retentionWorld is a table of steps, some of which are over one day, and a worker that removes them.
type retentionWorld struct {
	rows   int
	span   time.Duration // in which they are enqueued
	late   time.Duration // how long their transactions last at most: less than steps are kept
	lasts  time.Duration // how long they take to end
	stay   float64       // are kept for ever, or never end
	locked float64       // are locked for a while when they could be removed
	keep   time.Duration
	batch  int

	statement time.Duration // what a batch costs
	row       time.Duration // and each row of it
	busy      float64       // of the time there is a backlog
	failing   float64       // of the statements
}

func drawRetentionWorld(t *rapid.T) retentionWorld {
	const ms, sec = time.Millisecond, time.Second
	return retentionWorld{
		rows: rapid.IntRange(1, 200).Draw(t, "rows"), span: of(t, "span", 0, time.Minute, 6*time.Hour),
		late: of(t, "late", 0, sec, 10*time.Minute), lasts: of(t, "lasts", 0, time.Minute, time.Hour),
		stay: share(t, "stay"), locked: share(t, "locked"), keep: of(t, "keep", time.Hour, 3*time.Hour), batch: of(t, "batch", 1000, 7, 2, 1),
		statement: of(t, "statement", ms, 0, sec), row: of(t, "row", 0, ms, sec),
		busy: share(t, "busy"), failing: share(t, "failing") / 100, // one ends its pass
	}
}

// row is a step of the table.
type row struct {
	id      int64
	created time.Time // when its transaction began
	visible time.Time
	over    time.Time // when it may be removed; zero: never
	free    time.Time // until when it is locked
	removed bool
}

// retention drives the plans as package maintenance does.
type retention struct {
	simulation
	retentionWorld
	table     []*row // in the order of their ids
	left      int
	seen      Retention
	fruitless time.Duration // what the pass has spent on rows that stay
}

// What is over is removed, each pass looks at no row twice, and none that is still to be removed is passed by for ever.
func TestRetentionFollowsItsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := &retention{simulation: newSimulation(rt), retentionWorld: drawRetentionWorld(rt)}
		at := start
		for id := range r.rows {
			at = at.Add(r.upTo(2 * r.span / time.Duration(r.rows)))
			r.table = append(r.table, r.enqueue(int64(id+1), at))
		}
		r.run()
	})
}

// enqueue adds a row that gets its id at that time, at some time of its transaction.
func (r *retention) enqueue(id int64, at time.Time) *row {
	began := at.Add(-r.upTo(r.late / 2))
	row := &row{id: id, created: began, visible: at.Add(r.upTo(r.late / 2))}
	if r.happens(r.stay) {
		return row
	}
	r.left++
	row.over = row.visible.Add(r.upTo(r.lasts) + r.keep)
	if r.happens(r.locked) {
		row.free = row.over.Add(r.upTo(2 * time.Hour))
	}
	return row
}

// run is maintenance.Retirer.Run, until all is removed that is over some time.
func (r *retention) run() {
	for r.left > 0 {
		began := r.now
		if ok := r.pass(); ok {
			r.passedBy(began)
		}
		pause := r.seen.Pause()
		if want := max(time.Minute, 20*r.fruitless); (pause - want).Abs() > time.Millisecond {
			r.Fatalf("a pass that has spent %v on rows that stay is followed by a pause of %v, want %v", r.fruitless, pause, want)
		}
		r.spend(r.jitter(pause))
	}
}

// pass is maintenance.Retirer.Pass; ok reports whether the database did what it was asked.
func (r *retention) pass() (ok bool) {
	r.fruitless = 0
	stay, after := 0.0, r.seen.Floor
	for batch, done := r.seen.Begin(), false; ; {
		if batch.After != after {
			r.Fatalf("the next batch begins after %d, and %d was the last row that was looked at", batch.After, after)
		}
		r.spend(batch.Rest)
		r.fruitless += time.Duration(stay * float64(batch.Rest))
		if r.happens(r.failing) {
			return false
		}
		page, took, busy := r.remove(after), r.statement, r.happens(r.busy)
		took += time.Duration(page.Seen) * r.retentionWorld.row
		r.spend(took)
		if batch, done = r.seen.PlanBatch(page, r.batch, took, busy); done {
			return true
		}
		r.check(page, batch, took, busy)
		stay, after = float64(page.Seen-page.Removed)/float64(page.Seen), page.Last
		r.fruitless += time.Duration(stay * float64(took))
	}
}

// remove is what the database does.
func (r *retention) remove(after int64) Page {
	p := Page{Last: after, Young: true}
	var youngest time.Time
	for _, row := range r.table {
		if row.id <= after || row.removed || row.visible.After(r.now) || p.Seen == r.batch {
			continue
		}
		p.Last, youngest = row.id, latest(youngest, row.created)
		p.Seen++
		if row.removable(r.now) {
			row.removed = true
			p.Removed++
			r.left--
		}
	}
	if p.Seen > 0 {
		p.Young = !youngest.Before(r.now.Add(-r.keep))
	}
	return p
}

func (r *row) removable(at time.Time) bool {
	return !r.over.IsZero() && !latest(r.over, r.visible, r.free).After(at)
}

// check checks what follows a batch.
func (r *retention) check(p Page, next Batch, took time.Duration, busy bool) {
	rest := 2 * took
	if busy {
		rest = 20 * took
	}
	if p.Young || p.Seen < r.batch {
		r.Fatalf("the pass goes on after %+v", p)
	}
	if next.Rest != rest {
		r.Fatalf("after a batch that took %v, busy %v, it rests for %v, want %v", took, busy, next.Rest, rest)
	}
	for _, row := range r.table {
		if row.id <= r.seen.Floor && !row.removed {
			r.Fatalf("the floor is at %d, and row %d is still there", r.seen.Floor, row.id)
		}
	}
}

// passedBy checks that nothing is left that a pass could have removed.
func (r *retention) passedBy(began time.Time) {
	for _, row := range r.table {
		if !row.removed && row.removable(began) {
			r.Fatalf("a pass that began at %v has left row %d, which was over at %v", began.Sub(start), row.id, row.over.Sub(start))
		}
	}
}
