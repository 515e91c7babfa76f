package faulttest

import (
	"sync"
	"time"

	"github.com/idem-go/idem/runtime"
)

// events keeps what workers report.
type events struct {
	mu   sync.Mutex
	all  []runtime.Event
	more chan struct{} // closed at the next event
}

func newEvents() *events { return &events{more: make(chan struct{})} }

// Observe implements [runtime.Observer].
func (e *events) Observe(ev runtime.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
	close(e.more)
	e.more = make(chan struct{})
}

// next is closed when the next event comes.
func (e *events) next() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.more
}

// of counts the events of a kind.
func (e *events) of(kind runtime.EventKind) int { return len(e.list(kind)) }

func (e *events) list(kind runtime.EventKind) (found []runtime.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.all {
		if ev.Kind == kind {
			found = append(found, ev)
		}
	}
	return found
}

// late returns the refusal of a call that came after the handler had returned by itself; nil if there was none.
func (e *events) late() error {
	for _, ev := range e.list(runtime.EventLate) {
		if !isEnd(ev.Err) {
			return ev.Err
		}
	}
	return nil
}

// await waits for n events of any of the kinds, up to a time.
func (e *events) await(longest time.Duration, n int, kinds ...runtime.EventKind) bool {
	timeout := time.After(longest)
	for {
		more := e.next()
		have := 0
		for _, kind := range kinds {
			have += e.of(kind)
		}
		if have >= n {
			return true
		}
		select {
		case <-more:
		case <-timeout:
			return false
		}
	}
}
