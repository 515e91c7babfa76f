package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/pace"
	"github.com/idem-go/idem/runtime/internal/probe"
)

// Relay sends the commands of one table. Any number of relays may share a table; none of them leads.
type Relay struct {
	table  *Table
	sender Sender
	cfg    Config
	sql    *statements
	log    *slog.Logger
	base   *pgxpool.Config
	pool   *pgxpool.Pool

	lanes   *lanes
	results chan result     // outcomes on their way into the table
	wake    chan struct{}   // there may be commands
	lasting context.Context // of the database work that outlives the claims
	sends   context.Context // of what is being sent
	after   string          // where the next claim goes on, among destinations or keys
	started atomic.Bool
}

// NewRelay makes a relay; generated code wraps it for each table. It takes pool's configuration, not its connections, and
// does not connect. It refuses a [Config] that would make duplicates.
func NewRelay(pool *pgxpool.Pool, table *Table, sender Sender, cfg Config) (*Relay, error) {
	if err := table.check(); err != nil {
		return nil, err
	}
	if pool == nil || sender == nil {
		return nil, errors.New("idem: a relay needs a pool and a sender")
	}
	cfg, err := cfg.withDefaults(table)
	if err != nil {
		return nil, err
	}
	r := &Relay{
		table: table, sender: sender, cfg: cfg, base: pool.Config(),
		sql:     newStatements(table.Effect.Table, cfg.Retention.Archive),
		log:     cfg.Logger.With("outbox", table.Effect.Table),
		results: make(chan result, cfg.Concurrency+2*cfg.Batch),
		wake:    make(chan struct{}, 1),
	}
	r.lanes = newLanes(&r.cfg, !table.Destinations)
	return r, nil
}

// Run sends until ctx ends, then stops gracefully: it claims nothing more, gives back what was not sent yet, and lets
// what is being sent finish for Config.Shutdown. It returns nil after such a stop, and an error when it could not
// start. A relay runs once.
func (r *Relay) Run(ctx context.Context) error {
	if r.started.Swap(true) {
		return errors.New("idem: a relay runs once; make another one")
	}
	if err := r.connect(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // told to stop while it started
		}
		return err
	}
	defer r.pool.Close()
	if probe.Armed() {
		r.log.Warn("idem: fault injection is armed in this process")
	}
	var stopLasting, stopSends context.CancelFunc
	r.lasting, stopLasting = context.WithCancel(context.WithoutCancel(ctx))
	defer stopLasting()
	r.sends, stopSends = context.WithCancel(r.lasting)
	defer stopSends()

	var loops, senders, markers sync.WaitGroup
	markers.Go(r.mark)
	for range r.cfg.Concurrency {
		senders.Go(r.send)
	}
	r.background(ctx, &loops)
	r.claims(ctx) // until ctx ends

	defer time.AfterFunc(r.cfg.Shutdown, stopSends).Stop()
	// A database that does not answer is not waited for: the claims run out by themselves.
	defer time.AfterFunc(r.cfg.Shutdown+r.cfg.Lease, stopLasting).Stop()
	for _, c := range r.lanes.stop() {
		r.release(c)
	}
	close(r.lanes.work)
	senders.Wait()
	close(r.results)
	markers.Wait()
	loops.Wait()
	return nil
}

func (r *Relay) background(ctx context.Context, loops *sync.WaitGroup) {
	if !r.cfg.PollOnly && !r.cfg.Pooler {
		loops.Go(func() { r.listen(ctx) })
	}
	if r.cfg.Observer != nil {
		loops.Go(func() { r.every(ctx, r.cfg.BacklogEvery, r.backlog) })
	}
	if r.cfg.Retention.Keep > 0 {
		loops.Go(func() { r.every(ctx, purgeEvery, r.purge) })
	}
}

// every runs f now and then, at times that differ between relays. An error leaves the work for the next time.
func (r *Relay) every(ctx context.Context, d time.Duration, f func(context.Context) error) {
	for {
		within, cancel := context.WithTimeout(ctx, max(d, 10*time.Second))
		if err := f(within); err != nil && ctx.Err() == nil {
			r.observe(Event{Kind: EventUnreachable, Err: err})
			r.log.Warn("idem: the outbox could not be looked after, trying again later", "error", err)
		}
		cancel()
		if !pace.Pause(ctx, pace.Spread(d*2/3)) {
			return
		}
	}
}

// backlog tells the observer how much is pending, and since when.
func (r *Relay) backlog(ctx context.Context) error {
	depth, age, err := r.Backlog(ctx)
	if err == nil {
		r.observe(Event{Kind: EventBacklog, Count: depth, Age: age})
	}
	return err
}

// Backlog returns the number of pending commands and the age of the oldest. It serves while the relay runs.
func (r *Relay) Backlog(ctx context.Context) (depth int, oldest time.Duration, err error) {
	if r.pool == nil {
		return 0, 0, errors.New("idem: the relay does not run")
	}
	var micros int64
	err = r.pool.QueryRow(ctx, r.sql.backlog).Scan(&depth, &micros)
	return depth, time.Duration(micros) * time.Microsecond, err
}

// connect opens the relay's pool, and makes sure that the table is there.
func (r *Relay) connect(ctx context.Context) error {
	cfg := r.base.Copy()
	cfg.MaxConns, cfg.MinConns, cfg.MinIdleConns = 4, 0, 0
	if params := cfg.ConnConfig.RuntimeParams; !r.cfg.Pooler {
		// With the arrays' lengths known, the planner reads a table of up to some ten thousand rows as a whole.
		params["plan_cache_mode"] = "force_generic_plan"
		if params["application_name"] == "" {
			params["application_name"] = "idem relay"
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("idem: the relay's connection pool: %w", err)
	}
	if _, err := pool.Exec(ctx, "SELECT FROM "+r.table.Effect.Table+" LIMIT 0"); err != nil {
		pool.Close()
		return fmt.Errorf("idem: outbox %s: %w", r.table.Effect.Table, err)
	}
	r.pool = pool
	return nil
}

// Wake lets the relay look for commands now.
func (r *Relay) Wake() { pace.Signal(r.wake) }
