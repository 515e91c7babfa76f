package faulttest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/double"
	"github.com/idem-go/idem/runtime/internal/wire"
)

var discard = slog.New(slog.DiscardHandler)

// worker is one of the runtime's own, in this process.
type worker struct {
	cancel context.CancelFunc
	done   chan struct{}
}

func (w *worker) stop() {
	w.cancel()
	<-w.done
}

// workOption changes how a worker works.
type workOption func(*workPlan)

type workPlan struct {
	url    string
	limits limits
	config runtime.Config
}

// through has the worker reach the database by way of a proxy.
func through(p *wire.Proxy) workOption { return func(w *workPlan) { w.url = p.URL() } }

// timingOut has each attempt time out soon, and the next one wait until it is asked for.
func timingOut(after, grace time.Duration) workOption {
	return func(w *workPlan) { w.limits.timeout, w.limits.backoff, w.config.Grace = after, time.Hour, grace }
}

// sweeping has the worker look for leases that have run out. It polls too: the last sweep of a killed process may still
// run on the server, take the step back, and have nobody left to wake.
func sweeping(w *workPlan) {
	w.config.Sweep, w.config.Poll = 15*time.Millisecond, 100*time.Millisecond
}

// polling has the worker look for steps that are enqueued after its start.
func polling(w *workPlan) { w.config.Poll = 15 * time.Millisecond }

// work starts a worker that runs until the trial's end. Unless it is asked to do more, it makes no request but for steps
// that are there when it starts. Its lease outlasts the test: where it is to run out, it is made to.
func (tr *trial) work(opts ...workOption) *worker {
	plan := &workPlan{url: tr.url, limits: tr.limits, config: runtime.Config{
		Queues: map[string]int{tr.subject.limits.Queue: 4},
		Lease:  time.Minute, Heartbeat: 15 * time.Second, Sweep: time.Hour, Poll: time.Hour,
		Grace: 200 * time.Millisecond, Shutdown: 50 * time.Millisecond,
		PollOnly: true, Connections: 4, Committers: 1, Logger: discard, Observer: tr.events,
	}}
	for _, o := range opts {
		o(plan)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tr.ctx))
	w := &worker{cancel: cancel, done: make(chan struct{})}
	tr.mu.Lock()
	tr.workers = append(tr.workers, w)
	tr.mu.Unlock()
	go func() {
		defer close(w.done)
		if err := tr.runWorker(ctx, plan); err != nil {
			tr.problem("the worker does not start: %v", err)
		}
	}()
	return w
}

// runWorker works until ctx ends.
func (tr *trial) runWorker(ctx context.Context, plan *workPlan) error {
	pool, err := pgxpool.New(ctx, plan.url) // for its configuration: it never connects
	if err != nil {
		return err
	}
	defer pool.Close()
	w, err := runtime.NewWorker(pool, tr.registry(plan.limits), plan.config)
	if err != nil {
		return err
	}
	return w.Run(double.With(ctx, tr.outside))
}

// registry has the handler under its own name, with the trial's limits.
func (tr *trial) registry(l limits) *runtime.Registry {
	reg := runtime.NewRegistry()
	opts := l.options(tr.subject.limits.Queue)
	if tr.subject.action {
		runtime.RegisterAction(reg, runtime.NewAction[json.RawMessage](tr.node, opts...), func(ctx runtime.Context, in json.RawMessage) error {
			_, err := tr.execute(ctx, in)
			return err
		})
		return reg
	}
	runtime.RegisterStep(reg, runtime.NewStep[json.RawMessage, any](tr.node, opts...), tr.execute)
	return reg
}

// stop ends the trial's workers.
func (tr *trial) stop() {
	tr.mu.Lock()
	workers := tr.workers
	tr.workers = nil
	tr.mu.Unlock()
	for _, w := range workers {
		w.cancel()
	}
	for _, w := range workers {
		<-w.done
	}
}

// wires puts a proxy in front of the trial's database.
func (tr *trial) wires() *wire.Proxy {
	if tr.proxy == nil {
		tr.proxy = wire.Start(tr.tb, tr.url)
	}
	return tr.proxy
}

// isEnd reports whether an attempt was ended from outside, so that late calls of its handler are to be expected.
func isEnd(err error) bool {
	return errors.Is(err, runtime.ErrAttemptTimeout) || errors.Is(err, runtime.ErrLeaseLost) || errors.Is(err, runtime.ErrShutdown)
}
