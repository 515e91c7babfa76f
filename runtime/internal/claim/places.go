package claim

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/schedule"
)

// Queue counts the free places of a queue, and remembers that somebody announced work for it. It is safe for concurrent
// use.
type Queue struct {
	Name  string
	Nodes []string // the handlers that this worker has for it

	// Seen is what the claims have seen. They are made one after the other, and it is theirs alone.
	Seen    schedule.Queue
	scanned chan scanned // what a scan beside them has found
	swept   chan int64   // what this worker has taken back

	backlog    atomic.Pointer[schedule.Backlog]
	worthwhile int // how many places a claim waits for a moment while there is a backlog

	mu    sync.Mutex
	free  int
	freed chan struct{} // a place became free
	wake  chan struct{} // there may be work
}

// NewQueue returns a queue with concurrency free places.
func NewQueue(name string, concurrency int, nodes []string) *Queue {
	q := &Queue{
		Name: name, Nodes: nodes, Seen: schedule.NewQueue(), scanned: make(chan scanned, 1), swept: make(chan int64, schedule.ClaimLimit),
		worthwhile: schedule.Worthwhile(concurrency), free: concurrency,
		freed: make(chan struct{}, 1), wake: make(chan struct{}, 1),
	}
	q.backlog.Store(&schedule.Backlog{})
	return q
}

// Backlog returns the queue's backlog.
func (q *Queue) Backlog() schedule.Backlog { return *q.backlog.Load() }

// noteBacklog notes whether a claim of whatever waits has found as much as it asked for.
func (q *Queue) noteBacklog(full bool, now time.Time) {
	was := q.Backlog()
	if is := was.Note(full, now); is != was {
		q.backlog.Store(&is)
	}
}

// Announce lets the claims look for work now.
func (q *Queue) Announce() { pace.Signal(q.wake) }

// HandOver lets a step be claimed by its id that this worker has taken back, as long as there is room: scans find the others.
func (q *Queue) HandOver(id int64) {
	select {
	case q.swept <- id:
	default:
	}
}

// Put returns places back.
func (q *Queue) Put(n int) {
	if n == 0 {
		return
	}
	q.mu.Lock()
	q.free += n
	q.mu.Unlock()
	pace.Signal(q.freed)
}

// Take waits for a free place and takes up to limit of them; 0 means that ctx ended. With a backlog it waits a moment for
// more.
func (q *Queue) Take(ctx context.Context, limit int) int {
	if ctx.Err() != nil {
		return 0
	}
	n := q.takeNow(limit)
	for n == 0 {
		select {
		case <-ctx.Done():
			return 0
		case <-q.freed:
			n = q.takeNow(limit)
		}
	}
	patience := schedule.Patience(q.Backlog(), n, q.worthwhile)
	if patience == 0 {
		return n
	}
	return q.takeMore(ctx, n, min(q.worthwhile, limit), limit, patience)
}

// takeMore waits until enough places are taken, for a moment.
func (q *Queue) takeMore(ctx context.Context, n, enough, limit int, patience time.Duration) int {
	over := time.NewTimer(patience)
	defer over.Stop()
	for n < enough {
		select {
		case <-ctx.Done():
			q.Put(n)
			return 0
		case <-over.C:
			return n
		case <-q.freed:
			n += q.takeNow(limit - n)
		}
	}
	return n
}

func (q *Queue) takeNow(limit int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(q.free, limit)
	q.free -= n
	return n
}
