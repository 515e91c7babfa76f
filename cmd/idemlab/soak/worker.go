package soak

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

// WorkerEnv tells a process that it is a worker of the soak, and on which database.
const WorkerEnv = "IDEM_SOAK_WORKER"

// A lease as short as the handlers' timeout allows, so that nobody waits long for a dead worker.
const (
	lease     = 2500 * time.Millisecond
	heartbeat = 500 * time.Millisecond
	sweep     = 250 * time.Millisecond
	poll      = 200 * time.Millisecond
	grace     = 250 * time.Millisecond
)

// Work is what a worker process does until ctx ends: it runs the handlers, and reports on out what happens to their
// steps. A worker that cannot start, because the database is away, is started again, as a supervisor would.
func Work(ctx context.Context, url string, out io.Writer) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	r := &reporter{out: out, running: map[run]*running{}}
	registry := runtime.NewRegistry()
	register(registry, r.inside)
	for ctx.Err() == nil {
		worker, err := runtime.NewWorker(pool, registry, runtime.Config{
			Queues: map[string]int{"default": 48, "receipts": 16},
			Lease:  lease, Heartbeat: heartbeat, Sweep: sweep, Poll: poll, Grace: grace, Connections: 8,
			Logger: slog.New(slog.DiscardHandler), Observer: runtime.ObserverFunc(r.observe),
		})
		if err != nil {
			return err
		}
		if worker.Run(ctx) != nil {
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}

// What a worker reports of a step, in one letter.
const (
	began     = 'b' // its handler begins
	completed = 'c' // its completion is committed
	unknown   = 'u' // the outcome of its commit is not known yet
	gone      = 'g' // this execution is over without a completion
	readOnly  = 'r' // of no step: the database refused a write because it is read-only
)

// reporter writes what happens, a line each. Nothing is kept back: a worker that is killed has reported everything.
type reporter struct {
	mu      sync.Mutex
	out     io.Writer
	line    []byte
	running map[run]*running
}

// run is how the runtime names a step.
type run struct{ id, node string }

// running is a step with its executions in this process: a second one may begin before the first is given up.
type running struct {
	step       step
	executions int
}

// inside reports that a handler runs, and makes it slow before and after its work, as handlers are: that is where the
// faults fall.
func (r *reporter) inside(ctx runtime.Context, k kind, n int64) (done func()) {
	r.begin(run{ctx.RunID(), ctx.Node()}, step{k, n})
	dawdle()
	return dawdle
}

func dawdle() { time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) }

func (r *reporter) begin(id run, s step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[id] == nil {
		r.running[id] = &running{step: s}
	}
	r.running[id].executions++
	r.report(began, s)
}

// observe is told what happens by the runtime, which does not know the business's names.
func (r *reporter) observe(e runtime.Event) {
	switch e.Kind {
	case runtime.EventCompleted:
		r.follow(e, completed)
	case runtime.EventUnknown:
		r.follow(e, unknown)
	case runtime.EventRetried, runtime.EventReleased, runtime.EventDiscarded, runtime.EventLeaseLost:
		r.follow(e, gone)
	case runtime.EventUnreachable:
		var pg *pgconn.PgError
		if errors.As(e.Err, &pg) && pg.Code == "25006" {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.report(readOnly, step{})
		}
	}
}

func (r *reporter) follow(e runtime.Event, what byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := run{e.RunID, e.Node}
	s := r.running[id]
	if s == nil {
		return // its handler never began, or it was discarded by the sweep
	}
	if what != unknown {
		if s.executions--; s.executions == 0 {
			delete(r.running, id)
		}
	}
	r.report(what, s.step)
}

// report writes a line. A write that fails means that the parent is gone, and so is the reason to report.
func (r *reporter) report(what byte, s step) {
	r.line = append(r.line[:0], what, ' ')
	r.line = append(s.appendTo(r.line), '\n')
	_, _ = r.out.Write(r.line)
}
