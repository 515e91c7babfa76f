package claim

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/schedule"
	"github.com/idem-go/idem/runtime/internal/store"
)

// scanned is what a scan beside the claims has found.
type scanned struct {
	scan         schedule.Scan
	ids          []int64
	began, ended time.Time
	err          error
}

// scan looks for due steps behind the cursor, beside the claims. It never waits for them: one scan is under way at a time.
func (l *Loop) scan(ctx context.Context, q *Queue, s schedule.Scan) {
	found := scanned{scan: s, began: time.Now()}
	found.ids, found.err = l.behind(ctx, q, s)
	found.ended = time.Now()
	q.scanned <- found
	if len(found.ids) > 0 {
		q.Announce()
	}
}

func (l *Loop) behind(ctx context.Context, q *Queue, s schedule.Scan) ([]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Within)
	defer cancel()
	rows, err := l.Control.Query(ctx, l.SQL.Behind, q.Name, q.Nodes, store.From(s.From), s.To.At, s.To.ID, schedule.ClaimLimit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// Scanned reports whether a scan beside the claims has ended that the next claim will hear of.
func (q *Queue) Scanned() bool { return len(q.scanned) > 0 }

// collect notes what is known of up to limit steps: found by a scan beside the claims, or taken back by this worker.
func (l *Loop) collect(ctx context.Context, q *Queue, limit int) {
	select {
	case found := <-q.scanned:
		if found.err != nil && ctx.Err() == nil {
			l.Unreachable("scan behind the cursor", 1, found.err)
		}
		q.Seen.Scanned(found.scan, found.ids, found.began, found.ended)
	default:
	}
	for len(q.Seen.Known) < limit {
		select {
		case id := <-q.swept:
			q.Seen.Known = append(q.Seen.Known, id)
		default:
			return
		}
	}
}
