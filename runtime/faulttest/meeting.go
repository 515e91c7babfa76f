package faulttest

import (
	"sync"
	"time"

	"github.com/idem-go/idem/runtime/internal/wire"
)

// meeting holds each of n parties until all of them are there.
type meeting struct {
	mu     sync.Mutex
	absent int
	held   func()
	full   chan struct{}
}

func newMeeting(n int, held func()) *meeting {
	return &meeting{absent: n, held: held, full: make(chan struct{})}
}

func (m *meeting) join() {
	m.mu.Lock()
	if m.absent--; m.absent == 0 {
		m.held()
		close(m.full)
	}
	m.mu.Unlock()
	select {
	case <-m.full:
	case <-time.After(patience):
	}
}

// meetingWire is a proxy whose first claim joins the meeting before it goes on.
func (tr *trial) meetingWire(m *meeting) *wire.Proxy {
	p := wire.Start(tr.tb, tr.url)
	joined := false
	p.Observe(func(r wire.Request) {
		if !joined && wire.Statement(claimSQL)(r) {
			joined = true
			m.join()
		}
	})
	return p
}
