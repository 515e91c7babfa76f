package main

import (
	"context"

	"github.com/idem-go/idem/runtime/pgtest"
)

// startServer starts a Postgres that is reached over TCP, as databases mostly are, and that writes to the disk as one in
// production does; a quick run has nothing to measure, and so no use for that.
func startServer(ctx context.Context, quick bool) (*pgtest.Server, error) {
	options := []pgtest.ServerOption{pgtest.Private(), pgtest.TCP(), pgtest.Setting("max_connections", "700")}
	if !quick {
		options = append(options, pgtest.Durable(), pgtest.Setting("shared_buffers", "1GB"), pgtest.Setting("max_wal_size", "4GB"))
	}
	return pgtest.Start(ctx, options...)
}
