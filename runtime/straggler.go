package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// stragglers are steps that are due before the frontier of their queue. Where looking for them takes long, claims do not wait
// for it: they are looked for at the same time, a little before the frontier, where most of them are, and from the beginning;
// and claimed by their ids. So are those that this worker took back from another.
type stragglers struct {
	looking bool       // somebody looks at the moment
	found   chan sight // what was seen
	swept   chan int64 // taken back
}

func newStragglers() stragglers {
	return stragglers{found: make(chan sight, 1), swept: make(chan int64, claimLimit)}
}

// add adds a step that was taken back, as long as there is room: looks find the others.
func (s *stragglers) add(id int64) {
	select {
	case s.swept <- id:
	default:
	}
}

// fill adds to ids what was taken back, up to limit.
func (s *stragglers) fill(ids []int64, limit int) []int64 {
	for len(ids) < limit {
		select {
		case id := <-s.swept:
			ids = append(ids, id)
		default:
			return ids
		}
	}
	return ids
}

// sight is what a look has seen.
type sight struct {
	ids          []int64
	near         bool // it did not begin at the beginning
	began, ended time.Time
	err          error
}

// Most of the time stragglers are looked for no further before the frontier than nearBy, and at most once in nearEvery: few
// transactions take longer between the enqueueing of a step and their commit, and a look costs more than its own time, by
// what it displaces.
const (
	nearBy    = 2 * time.Second
	nearEvery = time.Second / 2
)

// lookBehind looks for stragglers if it is time to, and nobody does.
func (w *Worker) lookBehind(ctx context.Context, q *queue) {
	now := time.Now()
	f := &q.frontier
	near := !f.due(now)
	if !f.slow || f.at.IsZero() || q.stragglers.looking || near && !f.near.due(now) {
		return
	}
	q.stragglers.looking = true
	from, to, id := beginning, pgtype.Timestamptz{Time: f.at, Valid: true}, f.id
	if near {
		from = pgtype.Timestamptz{Time: f.at.Add(-nearBy), Valid: true}
	}
	go func() {
		s := sight{near: near, began: now}
		s.ids, s.err = w.behind(ctx, q, from, to, id)
		s.ended = time.Now()
		q.stragglers.found <- s
		if len(s.ids) > 0 {
			q.announce()
		}
	}()
}

// behind gives the ids of due steps from a time on and before a place in the order.
func (w *Worker) behind(ctx context.Context, q *queue, from, to pgtype.Timestamptz, id int64) ([]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Lease)
	defer cancel()
	rows, err := w.control.Query(ctx, w.sql.behind, q.name, q.nodes, from, to, id, claimLimit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// seen gives what the last look has found, and notes how long it was.
func (w *Worker) seen(ctx context.Context, q *queue) []int64 {
	var s sight
	select {
	case s = <-q.stragglers.found:
	default:
		return nil
	}
	q.stragglers.looking = false
	if s.err != nil && ctx.Err() == nil {
		w.unreachable("look for stragglers", 1, s.err)
	}
	if s.near {
		q.frontier.tookNear(s.began, s.ended)
	} else {
		q.frontier.took(s.began, s.ended)
	}
	return s.ids
}
