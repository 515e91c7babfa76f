package main

import (
	"context"
	"errors"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"golang.org/x/sync/errgroup"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
)

// What DBOS did best with on two cores, of 13 combinations.
const (
	dbosWorkers = 1000
	dbosPool    = 32
	dbosPoll    = 20 * time.Millisecond
)

const (
	dbosQueue    = "charges"
	dbosWorkflow = "charge"
)

// dbosRun is a DBOS application whose workflow has one step, a transaction on DBOS' own database: the row and the
// step's checkpoint commit together.
type dbosRun struct {
	workers, pool    int
	poll             time.Duration
	began, committed func()
}

func (d dbosRun) start(ctx context.Context, r *rig) (app dbos.Context, stop func(), err error) {
	pool, err := r.pool(ctx, d.pool)
	if err != nil {
		return nil, nil, err
	}
	app, err = dbos.NewContext(ctx, dbos.Config{AppName: "bench", SystemDBPool: pool, Logger: quietly})
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	stop = func() {
		_ = dbos.Shutdown(app, 30*time.Second)
		pool.Close()
	}
	source, err := dbos.NewDataSource(app, pool, dbos.WithDataSourceName("ledger"))
	if err != nil {
		stop()
		return nil, nil, err
	}
	dbos.RegisterWorkflow(app, func(wf dbos.Context, in peerCharge) (string, error) {
		d.began()
		out, err := dbos.RunAsTransaction(wf, source, func(ctx context.Context, tx dbos.Tx) (string, error) {
			_, err := tx.Exec(ctx, peerInsert, in.RunID, in.Node, in.Amount, ledger.Memo)
			return "ok", err
		})
		if err == nil {
			d.committed()
		}
		return out, err
	}, dbos.WithWorkflowName(dbosWorkflow))
	if _, err := dbos.RegisterQueue(app, dbosQueue, dbos.WithWorkerConcurrency(d.workers), dbos.WithQueueBasePollingInterval(d.poll)); err != nil {
		stop()
		return nil, nil, err
	}
	return app, stop, nil
}

func dbosEnqueue(app dbos.Context) error {
	_, err := dbos.Enqueue[string](app, dbosQueue, dbosWorkflow, newPeerCharge())
	return err
}

func dbosDrain(ctx context.Context, r *rig) error {
	if err := r.database(ctx); err != nil {
		return err
	}
	if err := r.exec(ctx, peerLedger); err != nil {
		return err
	}
	done := await.NewTally(r.steps)
	app, stop, err := dbosRun{workers: dbosWorkers, pool: dbosPool, poll: dbosPoll, began: r.begin, committed: done.Add}.start(ctx, r)
	if err != nil {
		return err
	}
	err = dbosWork(ctx, r, app, done)
	stop()
	return errors.Join(err, r.expectLedger(ctx, r.steps),
		r.expect(ctx, r.steps, "successful workflows", "SELECT count(*) FROM dbos.workflow_status WHERE status = 'SUCCESS'"))
}

func dbosWork(ctx context.Context, r *rig, app dbos.Context, done *await.Tally) error {
	var clients errgroup.Group
	clients.SetLimit(16)
	for range r.steps {
		clients.Go(func() error { return dbosEnqueue(app) })
	}
	if err := clients.Wait(); err != nil {
		return err
	}
	if err := r.ready(ctx); err != nil {
		return err
	}
	if err := dbos.Launch(app); err != nil {
		return err
	}
	if err := done.Wait(ctx); err != nil {
		return err
	}
	// The workflows' own ends follow their steps'.
	if err := r.await(ctx, "SELECT NOT EXISTS (SELECT FROM dbos.workflow_status WHERE status <> 'SUCCESS')"); err != nil {
		return err
	}
	r.end(r.steps)
	return nil
}
