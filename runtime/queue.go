package runtime

import (
	"context"
	"sync"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// queue counts the free places of a queue, and remembers that somebody announced work for it.
type queue struct {
	name  string
	nodes []string // the handlers that this worker has for it

	frontier frontier // of its claims, which are made one after the other

	mu    sync.Mutex
	free  int
	freed chan struct{} // a place became free
	wake  chan struct{} // there may be work
}

func newQueue(name string, concurrency int, nodes []string) *queue {
	return &queue{name: name, nodes: nodes, free: concurrency, freed: make(chan struct{}, 1), wake: make(chan struct{}, 1)}
}

// take waits for a free place and takes up to limit of them; 0 means that ctx ended.
func (q *queue) take(ctx context.Context, limit int) int {
	for {
		q.mu.Lock()
		n := min(q.free, limit)
		q.free -= n
		q.mu.Unlock()
		if n > 0 {
			return n
		}
		select {
		case <-ctx.Done():
			return 0
		case <-q.freed:
		}
	}
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
