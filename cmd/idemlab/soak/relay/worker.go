package relay

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
	"github.com/idem-go/idem/runtime"
)

// A lease as short as the handlers' timeout allows, so that nobody waits long for a dead worker.
const workerLease = 2500 * time.Millisecond

// work is what a worker process does until ctx ends: it runs the handlers that queue commands, and reports on out which
// steps it completes together. A worker that cannot start, because the database is away, is started again, as a
// supervisor would.
func work(ctx context.Context, url string, out io.Writer) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	r := &reporter{out: out}
	registry := runtime.NewRegistry()
	commands.RegisterAnnounce(registry)
	commands.RegisterTell(registry)
	for ctx.Err() == nil {
		worker, err := runtime.NewWorker(pool, registry, runtime.Config{
			Queues: map[string]int{"default": 16}, Lease: workerLease, Heartbeat: 500 * time.Millisecond, Sweep: 250 * time.Millisecond,
			Poll: 200 * time.Millisecond, Grace: 250 * time.Millisecond, Connections: 6, Logger: slog.New(slog.DiscardHandler),
			Observer: runtime.ObserverFunc(r.observeWorker),
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
