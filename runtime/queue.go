package runtime

import (
	"context"
	"sync"
	"time"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// queue counts the free places of a queue, and remembers that somebody announced work for it.
type queue struct {
	name  string
	nodes []string // the handlers that this worker has for it

	frontier   frontier // of its claims, which are made one after the other
	stragglers stragglers

	backlog    backlog
	worthwhile int // how many places a claim waits for a moment while there is a backlog

	mu    sync.Mutex
	free  int
	freed chan struct{} // a place became free
	wake  chan struct{} // there may be work
}

// While there is a backlog a claim waits for a share of the queue's places to be free, but no longer than this. A worker
// whose handlers are the limit loses a sixteenth by it at most, since half of the share is free on average, and next to
// nothing when its handlers take long; one whose database is the limit gains the claims that it does without.
const (
	claimPatience   = 5 * time.Millisecond
	worthwhileShare = 8
)

func newQueue(name string, concurrency int, nodes []string) *queue {
	return &queue{
		name: name, nodes: nodes, frontier: frontier{wait: claimWait}, stragglers: newStragglers(),
		worthwhile: concurrency / worthwhileShare, free: concurrency, freed: make(chan struct{}, 1), wake: make(chan struct{}, 1),
	}
}

// take waits for a free place and takes up to limit of them; 0 means that ctx ended. With a backlog it waits a moment for
// more, so that a claim is worth its cost: as a rule places become free in numbers, when a group has committed.
func (q *queue) take(ctx context.Context, limit int) int {
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
	if !q.backlog.there() || n >= q.worthwhile {
		return n
	}
	patience := time.NewTimer(claimPatience)
	defer patience.Stop()
	for n < min(q.worthwhile, limit) {
		select {
		case <-ctx.Done():
			q.put(n)
			return 0
		case <-patience.C:
			return n
		case <-q.freed:
			n += q.takeNow(limit - n)
		}
	}
	return n
}

func (q *queue) takeNow(limit int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(q.free, limit)
	q.free -= n
	return n
}

// put gives places back.
func (q *queue) put(n int) {
	if n == 0 {
		return
	}
	q.mu.Lock()
	q.free += n
	q.mu.Unlock()
	pace.Signal(q.freed)
}

// announce lets the claim loop look for work now.
func (q *queue) announce() { pace.Signal(q.wake) }
