package wire

import (
	"context"
	"sync"
)

// gate is a door that several may hold shut. The zero gate is open.
type gate struct {
	mu    sync.Mutex
	holds int
	open  chan struct{} // closed when the last one lets go; nil while the gate is open
}

func (g *gate) shut() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.holds == 0 {
		g.open = make(chan struct{})
	}
	g.holds++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.holds--; g.holds == 0 {
			close(g.open)
			g.open = nil
		}
	})
}

// pass waits for the gate to be open, or for ctx to end.
func (g *gate) pass(ctx context.Context) {
	for ctx.Err() == nil {
		g.mu.Lock()
		open := g.open
		g.mu.Unlock()
		if open == nil {
			return
		}
		select {
		case <-open:
		case <-ctx.Done():
		}
	}
}
