package relay

import (
	"fmt"
	"io"
	"sync"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
)

// What a process reports, in one letter before a number.
const (
	claimed  = 'c' // commands, by a relay
	finished = 'f' // commands whose outcome is recorded, or that are given back
	late     = 'l' // commands whose claim was lost before that
	grouped  = 'g' // steps that a worker has completed together
)

// reporter writes what happens, a line each. Nothing is kept back: a process that is killed has reported everything.
type reporter struct {
	mu  sync.Mutex
	out io.Writer
}

func (r *reporter) observeRelay(e outbox.Event) {
	switch e.Kind {
	case outbox.EventClaimed:
		r.report(claimed, e.Count)
	case outbox.EventReleased:
		r.report(finished, e.Count)
	case outbox.EventLate:
		r.report(late, 1)
	case outbox.EventDelivered, outbox.EventRetried, outbox.EventRejected, outbox.EventDead, outbox.EventQuarantined, outbox.EventParked:
		r.report(finished, 1)
	}
}

func (r *reporter) observeWorker(e runtime.Event) {
	if e.Kind == runtime.EventGroup && e.Count > 1 {
		r.report(grouped, e.Count)
	}
}

// report writes a line. A write that fails means that the parent is gone, and so is the reason to report.
func (r *reporter) report(what byte, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = fmt.Fprintf(r.out, "%c %d\n", what, n)
}
