package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/probe"
)

// Worker claims steps, runs their handlers and completes them. Any number of workers may share a
// database; none of them leads.
type Worker struct {
	cfg  Config
	reg  *Registry
	sql  *statements
	log  *slog.Logger
	name string
	base *pgxpool.Config

	handlers *pgxpool.Pool // for handlers' own statements
	control  *pgxpool.Pool // for claims, heartbeats, sweeps and completions: handlers cannot starve them
	aside    *pgxpool.Pool // for short statements of companions, which hold no connection while they wait for others
	announce *Client       // notifies other workers of steps that completions enqueued

	queues   map[string]*queue
	spare    chan *heldStep  // to goroutines that have run a step
	idle     atomic.Int32    // how many of them wait for the next one
	ready    chan *execution // finished handlers on their way into a group
	lead     chan struct{}   // to the committer that takes whatever is there
	crowd    chan struct{}   // there is enough for another one
	steps    context.Context // of the handlers; ended with a cause when they must stop
	stop     context.CancelCauseFunc
	lasting  context.Context // of the database work that outlives the handlers
	horizon  horizon         // of the looks for leases that have run out
	expired  chan struct{}   // a poll has found one
	claiming sync.WaitGroup  // the queues' loops of claims
	running  sync.WaitGroup  // executions until they are settled
	started  atomic.Bool

	mu   sync.Mutex
	held map[int64]*heldStep
}

// NewWorker makes a worker for the handlers of reg. It takes pool's configuration, not its connections: the
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
	w := &Worker{
		cfg: cfg, reg: reg, sql: newStatements(cfg.Schema), name: workerName(), base: pool.Config(),
		lead: make(chan struct{}, 1), crowd: make(chan struct{}, 1), queues: map[string]*queue{}, held: map[int64]*heldStep{}, spare: make(chan *heldStep),
		horizon: newHorizon(cfg.Sweep), expired: make(chan struct{}, 1),
	}
	w.log = cfg.Logger.With("worker", w.name)
	capacity := 0
	for name, concurrency := range cfg.Queues {
		w.queues[name] = newQueue(name, concurrency, reg.names(name))
		capacity += concurrency
	}
	w.ready = make(chan *execution, capacity)
	return w, nil
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
	defer w.closePools()
	if probe.Armed() {
		w.log.Warn("idem: fault injection is armed in this process")
	}

	control, stopControl := context.WithCancel(context.WithoutCancel(ctx))
	defer stopControl()
	w.lasting = control
	w.steps, w.stop = context.WithCancelCause(control)
	defer w.stop(nil)

	var committers, loops sync.WaitGroup
	w.passLead()
	for range w.cfg.Committers {
		committers.Go(w.commitGroups)
	}
	background, stopBackground := context.WithCancel(control)
	loops.Go(func() { w.heartbeats(background) })
	for _, q := range w.queues {
		w.claiming.Go(func() { w.claims(ctx, q) })
	}
	loops.Go(func() { w.sweeps(ctx) })
	if !w.cfg.Retention.forEver() {
		loops.Go(func() { w.retires(ctx) })
	}
	if !w.cfg.PollOnly && !w.cfg.Pooler {
		loops.Go(func() { w.listen(ctx) })
	}

	<-ctx.Done()
	probe.At(probe.ShutdownAfterSignal, "", "")
	w.claiming.Wait()
	w.drain(stopControl)
	stopBackground()
	close(w.ready)
	committers.Wait()
	loops.Wait()
	return nil
}

// connect opens the worker's pools and verifies the schema.
func (w *Worker) connect(ctx context.Context) (err error) {
	if w.handlers, err = w.newPool(ctx, w.cfg.Connections, nil); err != nil {
		return err
	}
	locks := map[string]string{"lock_timeout": controlLockTimeout}
	if w.control, err = w.newPool(ctx, w.cfg.Committers+3, locks); err != nil {
		w.closePools()
		return err
	}
	if w.aside, err = w.newPool(ctx, asideConnections, locks); err != nil {
		w.closePools()
		return err
	}
	w.announce = NewClient(w.control, WithSchema(w.cfg.Schema), WithClientLogger(w.log))
	w.announce.notify = !w.cfg.PollOnly
	if err := w.announce.Verify(ctx); err != nil {
		w.closePools()
		return err
	}
	return nil
}

func (w *Worker) closePools() {
	for _, pool := range []*pgxpool.Pool{w.handlers, w.control, w.aside} {
		if pool != nil {
			pool.Close()
		}
	}
}

// asideConnections bounds the connections for [Companion.Aside]. They are made when they are needed.
const asideConnections = 4

// controlLockTimeout keeps a row that somebody else has locked from holding up a whole group, or the
// heartbeat of every step. In milliseconds.
const controlLockTimeout = "2000"

// recentlyUsed is for how long after its last use a connection is taken to be alive. Asked after one second, which is what
// pgx does by itself, half of what idle workers cost the database would be that question.
const recentlyUsed = 5 * time.Second

func (w *Worker) newPool(ctx context.Context, connections int, session map[string]string) (*pgxpool.Pool, error) {
	cfg := w.base.Copy()
	cfg.MaxConns = int32(connections)
	cfg.MinConns, cfg.MinIdleConns = 0, 0
	if cfg.ShouldPing == nil {
		cfg.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > recentlyUsed }
	}
	if !w.cfg.Pooler {
		params := cfg.ConnConfig.RuntimeParams
		params["idle_in_transaction_session_timeout"] = w.idleTimeout()
		maps.Copy(params, session)
		orParam(params, "application_name", "idem "+w.name)
		for name, value := range w.cfg.keepalives() {
			orParam(params, name, value)
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("idem: the worker's connection pool: %w", err)
	}
	return pool, nil
}

func orParam(params map[string]string, name, otherwise string) {
	if params[name] == "" {
		params[name] = otherwise
	}
}

func (w *Worker) idleTimeout() string {
	return strconv.FormatInt(w.cfg.idleTimeout().Milliseconds(), 10)
}

// pooledIdleTimeout is what a transaction sets by itself, behind a pooler; "" elsewhere.
func (w *Worker) pooledIdleTimeout() string {
	if !w.cfg.Pooler {
		return ""
	}
	return w.idleTimeout()
}

// drain waits for what runs: first for the handlers to finish by themselves, then, with their contexts
// cancelled, for the grace. What is left is handed back; a database that does not answer is not waited for
// longer than a lease, after which the sweep of another worker takes the steps anyway.
func (w *Worker) drain(stopControl context.CancelFunc) {
	done := make(chan struct{})
	go func() {
		w.running.Wait()
		close(done)
	}()
	if waited(done, w.cfg.Shutdown) {
		return
	}
	// First the steps, then their common context: a handler that sees the end of its context must find that
	// its step is ended, or its return would count as a failed attempt.
	for _, s := range w.holding() {
		s.end(ErrShutdown)
	}
	w.stop(ErrShutdown)
	if waited(done, w.cfg.Grace) {
		return
	}
	defer time.AfterFunc(w.cfg.Lease, stopControl).Stop()
	for _, s := range w.holding() {
		if s.settleOnce() {
			w.settle(s, released(ReasonShutdown, ErrShutdown))
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
