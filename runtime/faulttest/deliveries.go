package faulttest

import (
	"sync"
	"time"

	"github.com/idem-go/idem/runtime/internal/wire"
)

// deliveries are about who runs the step, and when.
func deliveries() []*fault {
	return []*fault{
		{
			name: "the worker is stopped after the write",
			around: first(func(x *execution) (any, error) {
				_, _ = x.write()
				close(x.gate)
				<-x.ctx.Done()
				x.fire()
				return nil, x.ctx.Err()
			}),
			play: func(tr *trial) {
				if !tr.enqueued() {
					return
				}
				stopped := tr.work()
				if !tr.opened() {
					return
				}
				stopped.stop()
				tr.work()
				tr.wait()
			},
			want: want{runs: exactly(2)},
		},
		{name: "offered to two workers at once", play: (*trial).playTwoWorkers},
	}
}

// opened waits for the handler to open the gate.
func (tr *trial) opened() bool {
	select {
	case <-tr.gate:
		return true
	case <-time.After(tr.patience()):
		tr.problem("the handler was not run")
		return false
	}
}

// playTwoWorkers holds the claims of two workers back until both of them are under way.
func (tr *trial) playTwoWorkers() {
	if !tr.enqueued() {
		return
	}
	meet := newMeeting(2, tr.fire)
	for range 2 {
		tr.work(through(tr.meetingWire(meet)))
	}
	tr.wait()
}

// meeting holds each of n parties until all of them are there.
type meeting struct {
	mu     sync.Mutex
	absent int
	held   func() // called when all are there
	full   chan struct{}
}

func newMeeting(n int, held func()) *meeting {
	return &meeting{absent: n, held: held, full: make(chan struct{})}
}

// join returns when the meeting is full, or after the longest time.
func (m *meeting) join(longest time.Duration) {
	m.mu.Lock()
	if m.absent--; m.absent == 0 {
		m.held()
		close(m.full)
	}
	m.mu.Unlock()
	select {
	case <-m.full:
	case <-time.After(longest):
	}
}

// meetingWire is a proxy whose first claim joins the meeting before it goes on.
func (tr *trial) meetingWire(m *meeting) *wire.Proxy {
	p := wire.Start(tr.tb, tr.url)
	joined := false
	p.Observe(func(r wire.Request) {
		if !joined && wire.Statement(claimSQL)(r) {
			joined = true
			m.join(tr.patience())
		}
	})
	return p
}
