package runtime

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/claim"
	"github.com/idem-go/idem/runtime/internal/commit"
	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/listen"
	"github.com/idem-go/idem/runtime/internal/maintenance"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/internal/schedule"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

// Worker claims steps, runs their handlers and completes them. Any number of workers may share a
// database; none of them leads.
type Worker struct {
	cfg  Config
	base *pgxpool.Config

	host    *step.Host // what every execution needs
	queues  map[string]*claim.Queue
	claims  *claim.Loop       // brings steps
	held    *lease.Keeper     // has them until they are settled
	commits *commit.Committer // completes them
	sweeper *maintenance.Sweeper
	retirer *maintenance.Retirer

	run      *executor
	claiming sync.WaitGroup          // the queues' loops of claims
	stop     context.CancelCauseFunc // of the handlers
	started  atomic.Bool
}

// NewWorker returns a worker for the handlers of reg. It takes pool's configuration, not its connections: the
// worker opens connections of its own, with timeouts that keep a dead worker's transactions from
// staying. It reports invalid registrations and a [Config] that would make duplicates, and does not
// connect.
func NewWorker(pool *pgxpool.Pool, reg *Registry, cfg Config) (*Worker, error) {
	if err := reg.check(); err != nil {
		return nil, err
	}
	cfg, err := cfg.withDefaults(reg)
	if err != nil {
		return nil, err
	}
	w := &Worker{cfg: cfg, base: pool.Config(), queues: map[string]*claim.Queue{}}
	name := workerName()
	w.host = &step.Host{
		Session: &store.Session{
			SQL: store.NewStatements(cfg.Schema), Schema: cfg.Schema, Log: cfg.Logger.With("worker", name),
			Observer: observing(cfg.Observer), Within: cfg.Lease,
		},
		Name: name, Grace: cfg.Grace, IdleTimeout: cfg.pooledIdleTimeout(),
	}
	capacity := 0
	for name, concurrency := range cfg.Queues {
		w.queues[name] = claim.NewQueue(name, concurrency, reg.names(name))
		capacity += concurrency
	}
	w.assemble(reg, capacity)
	return w, nil
}

// assemble puts the worker's parts together: claims bring steps into the keeper's care, execute runs them, commits complete
// them, and maintenance serves all workers.
func (w *Worker) assemble(reg *Registry, capacity int) {
	w.held = &lease.Keeper{Host: w.host, Notifier: &store.Notifier{SQL: w.host.SQL, Log: w.host.Log, Off: w.cfg.PollOnly}, Queue: w.place}
	w.commits = commit.New(w.held, capacity, commit.Limits{Committers: w.cfg.Committers, Steps: w.cfg.GroupSteps, Bytes: w.cfg.GroupBytes})
	w.sweeper = maintenance.NewSweeper(w.host, w.cfg.Lease, w.cfg.Sweep, w.handOver)
	w.retirer = &maintenance.Retirer{Host: w.host, Keep: w.cfg.Retention.keep(), Backlogs: w.backlogs}
	w.claims = &claim.Loop{
		Host: w.host, Handlers: reg.handlers, Lease: w.cfg.Lease, Poll: w.cfg.Poll, Leases: w.sweeper,
		Start: func(s *lease.Held) {
			w.held.Hold(s)
			w.run.start(s)
		},
	}
	w.run = newExecutor(w.host, w.held, w.commits)
}

// Run works until ctx ends, then stops gracefully: it claims nothing more, lets handlers finish for
// Config.Shutdown, and hands the leases of the others back with their attempts unchanged. It returns nil
// after such a stop, and an error when it could not start. A worker runs once.
func (w *Worker) Run(ctx context.Context) error {
	if w.started.Swap(true) {
		return errors.New("idem: a worker runs once; make another one")
	}
	if err := w.connect(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // told to stop while it started
		}
		return err
	}
	defer w.host.Close()
	if probe.Armed() {
		w.host.Log.Warn("idem: fault injection is armed in this process")
	}

	lasting, endLasting := context.WithCancel(context.WithoutCancel(ctx))
	defer endLasting()
	w.host.Lasting = lasting
	w.host.Steps, w.stop = context.WithCancelCause(lasting)
	defer w.stop(nil)

	var loops sync.WaitGroup
	w.commits.Start()
	background, stopBackground := context.WithCancel(lasting)
	loops.Go(func() { w.held.Heartbeats(background, w.cfg.Heartbeat, w.cfg.Lease) })
	for _, q := range w.queues {
		w.claiming.Go(func() { w.claims.Run(ctx, q) })
	}
	loops.Go(func() { w.sweeper.Run(ctx) })
	if !w.cfg.Retention.keep().ForEver() {
		loops.Go(func() { w.retirer.Run(ctx) })
	}
	if !w.cfg.PollOnly && !w.cfg.Pooler {
		loops.Go(func() { w.listen(ctx) })
	}

	<-ctx.Done()
	probe.At(probe.ShutdownAfterSignal, "", "")
	w.claiming.Wait()
	w.drain(endLasting)
	stopBackground()
	w.commits.Stop()
	loops.Wait()
	return nil
}

// connect opens the worker's connections and verifies the schema.
func (w *Worker) connect(ctx context.Context) error {
	err := w.cfg.openPools(ctx, w.host.Session, w.base, w.host.Name)
	if err == nil {
		w.held.Notifier.DB = w.host.Control
		err = store.Verify(ctx, w.host.Control, w.host.SQL)
	}
	if err != nil {
		w.host.Close()
	}
	return err
}

// drain waits for what runs: first for the handlers to finish by themselves, then, with their contexts
// cancelled, for the grace. What is left is handed back; a database that does not answer is not waited for
// longer than a lease, after which the sweep of another worker takes the steps anyway.
func (w *Worker) drain(endLasting context.CancelFunc) {
	done := make(chan struct{})
	go func() {
		w.held.Wait()
		close(done)
	}()
	if waited(done, w.cfg.Shutdown) {
		return
	}
	// First the steps, then their common context: a handler that sees the end of its context must find that
	// its step is ended, or its return would count as a failed attempt.
	for _, s := range w.held.All() {
		s.End(ErrShutdown)
	}
	w.stop(ErrShutdown)
	if waited(done, w.cfg.Grace) {
		return
	}
	defer time.AfterFunc(w.cfg.Lease, endLasting).Stop()
	for _, s := range w.held.All() {
		if s.SettleOnce() {
			w.held.Settle(s, step.HandedBack(ErrShutdown))
		}
	}
	<-done
}

func waited(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// listen wakes the claim loops when steps are announced. It is an optimisation: without it, or while it is
// reconnecting, polling finds the same steps later.
func (w *Worker) listen(ctx context.Context) {
	l := listen.Listener{
		Config: w.base.ConnConfig, Channel: w.host.SQL.Channel, Log: w.host.Log,
		Ready: func() {
			for _, q := range w.queues {
				q.Announce()
			}
		},
		Notified: func(queue string) {
			if q := w.queues[queue]; q != nil {
				q.Announce()
			}
		},
	}
	l.Run(ctx)
}

// place finds the worker's own queue of that name.
func (w *Worker) place(queue string) lease.Place {
	if q := w.queues[queue]; q != nil {
		return q
	}
	return nil
}

// handOver lets a step that was taken back be claimed by its id, if the worker serves its queue, and by whoever is quicker.
func (w *Worker) handOver(queue string, id int64) {
	if q := w.queues[queue]; q != nil {
		q.HandOver(id)
	}
	w.held.Announce(queue)
}

func (w *Worker) backlogs() []schedule.Backlog {
	all := make([]schedule.Backlog, 0, len(w.queues))
	for _, name := range slices.Sorted(maps.Keys(w.queues)) {
		all = append(all, w.queues[name].Backlog())
	}
	return all
}
