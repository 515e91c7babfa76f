package main

import (
	"context"

	"github.com/idem-go/idem/runtime/pgtest"
)

// startServer starts a Postgres that writes to the disk as one in production does. It is reached over TCP, as
// databases mostly are.
func startServer(ctx context.Context, quick bool) (*pgtest.Server, error) {
	buffers := "1GB"
	if quick {
		buffers = "128MB"
	}
	return pgtest.Start(ctx, pgtest.Private(), pgtest.Durable(), pgtest.TCP(),
		pgtest.Setting("shared_buffers", buffers),
		pgtest.Setting("max_wal_size", "4GB"),
		pgtest.Setting("max_connections", "700"),
	)
}
