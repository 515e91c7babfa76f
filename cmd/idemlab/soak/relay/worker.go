package relay

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

// A lease as short as the handlers' timeout allows, so that nobody waits long for a dead worker.
const (
	workerLease   = 2500 * time.Millisecond
	workerTimeout = 2 * time.Second
)

// input is what a step is told.
type input struct {
	N        int64
	Receiver string // its URL
}

func key(in input) runtime.EnqueueOption { return runtime.WithKey("soak", fmt.Sprint(in.N)) }

// tell is the action whose steps queue the commands.
var tell = runtime.NewAction[input]("tell", runtime.WithTimeout(workerTimeout), runtime.WithMaxAttempts(1000),
	runtime.WithBackoff(100*time.Millisecond), runtime.WithMaxReclaims(1000))

// keys is how many keys have their order kept.
const keys = 40

// doTell queues the commands of a step. The order of a key is made as applications make it: whoever changes it locks it.
func doTell(ctx runtime.Context, in input) error {
	for item := range perStep - ordered {
		to := destination(in.Receiver, int(in.N)*(perStep-ordered)+item)
		if err := queueNotice(ctx, to, item, message{Who: who(in.N, item)}); err != nil {
			return err
		}
	}
	k := int(in.N) % keys
	name := fmt.Sprintf("key-%d", k)
	var last int64
	err := ctx.CompletionTx().QueryRow(ctx, `INSERT INTO soak_keys AS k (key, position) VALUES ($1, $2)
ON CONFLICT (key) DO UPDATE SET position = k.position + EXCLUDED.position RETURNING position`, name, ordered).Scan(&last)
	if err != nil {
		return err
	}
	for i := range ordered {
		item := perStep - ordered + i
		m := message{Who: who(in.N, item), Key: name, Position: last - ordered + 1 + int64(i)}
		if err := queueChange(ctx, fastDestination(in.Receiver, k), item, m); err != nil {
			return err
		}
	}
	return nil
}

// work is what a worker process does until ctx ends. A worker that cannot start, because the database is away, is
// started again, as a supervisor would.
func work(ctx context.Context, url string) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	registry := runtime.NewRegistry()
	runtime.RegisterAction(registry, tell, doTell)
	for ctx.Err() == nil {
		worker, err := runtime.NewWorker(pool, registry, runtime.Config{
			Queues: map[string]int{"default": 16}, Lease: workerLease, Heartbeat: 500 * time.Millisecond, Sweep: 250 * time.Millisecond,
			Poll: 200 * time.Millisecond, Grace: 250 * time.Millisecond, Connections: 6, Logger: slog.New(slog.DiscardHandler),
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
