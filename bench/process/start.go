package process

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/runtime"
)

const inFlight = 256

// Start starts a worker, whose end before its time ends the context that it gives. It has idem's defaults, but for what
// cfg sets, and for how many steps it runs at a time. It logs nothing: nobody reads it here, and printing takes time.
func Start(ctx context.Context, url string, register func(*runtime.Registry), cfg runtime.Config) (context.Context, func() error, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	registry := runtime.NewRegistry()
	register(registry)
	if cfg.Queues == nil {
		cfg.Queues = map[string]int{runtime.DefaultQueue: inFlight}
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	worker, err := runtime.NewWorker(pool, registry, cfg)
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	ctx, stop := await.Background(ctx, worker.Run)
	return ctx, func() error {
		defer pool.Close()
		return stop()
	}, nil
}
