package main

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/idem-go/idem/bench/ledger"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/pgtest"
)

// enqueueing: adding work that nobody does yet.
func enqueueing() []measurement {
	idem := func(how enqueueWay) func(context.Context, *rig) error {
		return func(ctx context.Context, r *rig) error {
			return r.enqueue(ctx, how, idemTables(), "idem.steps", idemEnqueuer)
		}
	}
	river := func(how enqueueWay, fast bool) func(context.Context, *rig) error {
		return func(ctx context.Context, r *rig) error {
			return r.enqueue(ctx, how, riverTables(), "river_job", riverEnqueuer(fast))
		}
	}
	return []measurement{
		{"enqueue/idem-single-x1", "Enqueue from one client", "enqueue/river-single-x1", idem(enqueueWay{1, 1, 0.25})},
		{"enqueue/river-single-x1", "River's Insert from one client", "", river(enqueueWay{1, 1, 0.25}, false)},
		{"enqueue/idem-single-x16", "Enqueue from 16 clients", "enqueue/river-single-x16", idem(enqueueWay{16, 1, 1})},
		{"enqueue/river-single-x16", "River's Insert from 16 clients", "", river(enqueueWay{16, 1, 1}, false)},
		{"enqueue/idem-many-1000", "EnqueueMany, 1000 at a time", "enqueue/river-fast-1000", idem(enqueueWay{1, 1000, 5})},
		{"enqueue/river-many-1000", "River's InsertMany, 1000 at a time", "enqueue/river-fast-1000", river(enqueueWay{1, 1000, 2}, false)},
		{"enqueue/river-fast-1000", "River's InsertManyFast, 1000 at a time", "", river(enqueueWay{1, 1000, 5}, true)},
		{"enqueue/idem-many-10000", "EnqueueMany, 10000 at a time", "enqueue/river-fast-10000", idem(enqueueWay{1, 10000, 5})},
		{"enqueue/river-many-10000", "River's InsertMany, 10000 at a time", "enqueue/river-fast-10000", river(enqueueWay{1, 10000, 2}, false)},
		{"enqueue/river-fast-10000", "River's InsertManyFast, 10000 at a time", "", river(enqueueWay{1, 10000, 5}, true)},
	}
}

// enqueueWay is from how many clients, how many at a time, and how much of it.
type enqueueWay struct {
	clients, size int
	times         float64 // of -n
}

// enqueuer adds n pieces of work in one call.
type enqueuer func(ctx context.Context, n int) error

func idemEnqueuer(pool *pgxpool.Pool) (enqueuer, error) {
	client := runtime.NewClient(pool, runtime.WithClientLogger(quietly))
	return func(ctx context.Context, n int) error {
		if n == 1 {
			_, err := ledger.RecordAction.Enqueue(ctx, client, ledger.Charge{Amount: 100})
			return err
		}
		_, err := ledger.RecordAction.EnqueueMany(ctx, client, charges(n), nil)
		return err
	}, nil
}

func riverEnqueuer(fast bool) func(*pgxpool.Pool) (enqueuer, error) {
	return func(pool *pgxpool.Pool) (enqueuer, error) {
		client, err := riverInserter(pool)
		return func(ctx context.Context, n int) (err error) {
			switch {
			case n == 1:
				_, err = client.Insert(ctx, newPeerCharge(), nil)
			case fast:
				_, err = client.InsertManyFast(ctx, riverParams(n))
			default:
				_, err = client.InsertMany(ctx, riverParams(n))
			}
			return err
		}, err
	}
}

func (r *rig) enqueue(ctx context.Context, how enqueueWay, tables pgtest.Option, table string, make func(*pgxpool.Pool) (enqueuer, error)) error {
	if err := r.database(ctx, tables); err != nil {
		return err
	}
	rows := int(float64(r.steps) * how.times)
	how.size = min(how.size, rows)
	calls := max(how.clients, rows/how.size)
	if err := r.counted(ctx); err != nil {
		return err
	}
	pool, err := r.pool(ctx, how.clients)
	if err != nil {
		return err
	}
	defer pool.Close()
	enqueue, err := make(pool)
	if err != nil {
		return err
	}
	// Each connection prepares its statements before, with little to do.
	few, warmUp := min(how.size, 2), 5*how.clients
	if err := enqueueFrom(ctx, how.clients, warmUp, few, enqueue); err != nil {
		return err
	}
	r.begin()
	if err := enqueueFrom(ctx, how.clients, calls, how.size, enqueue); err != nil {
		return err
	}
	r.end(calls * how.size)
	return r.expect(ctx, calls*how.size+warmUp*few, "rows", "SELECT count(*) FROM "+table)
}

// enqueueFrom makes calls calls from the clients, which take turns as they are free.
func enqueueFrom(ctx context.Context, clients, calls, size int, enqueue enqueuer) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(clients)
	for range calls {
		group.Go(func() error { return enqueue(ctx, size) })
	}
	return group.Wait()
}
