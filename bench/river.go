package main

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/runtime/pgtest"
)

// What River did best with on two cores, of 36 combinations; the five best were within 2 %.
const (
	riverWorkers  = 200
	riverPool     = 32
	riverCooldown = 10 * time.Millisecond
)

// Kind makes a charge River's arguments.
func (peerCharge) Kind() string { return "charge" }

// riverWorker inserts the row, and completes the job in the same transaction if it is to be atomic.
type riverWorker struct {
	river.WorkerDefaults[peerCharge]
	pool      *pgxpool.Pool
	atomic    bool
	slow      bool
	began     func()
	committed func()
}

// Work implements River's worker.
func (w *riverWorker) Work(ctx context.Context, job *river.Job[peerCharge]) error {
	w.began()
	if w.slow {
		if err := slow(ctx); err != nil {
			return err
		}
	}
	err := pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		if err := job.Args.record(ctx, tx); err != nil || !w.atomic {
			return err
		}
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
	if err == nil {
		w.committed()
	}
	return err
}

// riverTables are River's own, and the ledger.
func riverTables() pgtest.Option {
	return pgtest.Migrated("river", func(ctx context.Context, pool *pgxpool.Pool) error {
		migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quietly})
		if err != nil {
			return err
		}
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return err
		}
		_, err = pool.Exec(ctx, peerLedger)
		return err
	})
}

type riverClient = river.Client[pgx.Tx]

// riverInserter is a client that only inserts.
func riverInserter(pool *pgxpool.Pool) (*riverClient, error) {
	return river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: quietly})
}

func riverParams(n int) []river.InsertManyParams {
	params := make([]river.InsertManyParams, n)
	for i := range params {
		params[i].Args = newPeerCharge()
	}
	return params
}

// riverRun is one way to work through jobs.
type riverRun struct {
	atomic, generic, slow bool
	workers               int           // riverWorkers if not given
	cooldown              time.Duration // riverCooldown if not given
	defaults              bool          // River's own cooldown and poll interval
}

func (v riverRun) settings() []setting {
	if v.generic {
		return []setting{genericPlans}
	}
	return nil
}

// start starts River; stop ends it and closes its pool.
func (v riverRun) start(ctx context.Context, r *rig, began, committed func()) (client *riverClient, stop func() error, err error) {
	pool, err := r.pool(ctx, riverPool, v.settings()...)
	if err != nil {
		return nil, nil, err
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &riverWorker{pool: pool, atomic: v.atomic, slow: v.slow, began: began, committed: committed})
	cfg := &river.Config{Logger: quietly, Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: riverWorkers}}}
	if v.workers > 0 {
		cfg.Queues[river.QueueDefault] = river.QueueConfig{MaxWorkers: v.workers}
	}
	if !v.defaults {
		cfg.FetchCooldown = riverCooldown
		if v.cooldown > 0 {
			cfg.FetchCooldown = v.cooldown
		}
		cfg.FetchPollInterval = 100 * time.Millisecond
	}
	if client, err = river.NewClient(riverpgxv5.New(pool), cfg); err == nil {
		err = client.Start(ctx)
	}
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return client, func() error {
		defer pool.Close()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		return client.Stop(ctx)
	}, nil
}

func (v riverRun) drain(ctx context.Context, r *rig) error {
	if err := r.database(ctx, riverTables()); err != nil {
		return err
	}
	if err := v.enqueue(ctx, r); err != nil {
		return err
	}
	if err := r.ready(ctx); err != nil {
		return err
	}
	done := await.NewTally(r.steps)
	_, stop, err := v.start(ctx, r, r.begin, done.Add)
	if err != nil {
		return err
	}
	err = done.Wait(ctx)
	if err == nil && !v.atomic { // the batch completer follows
		err = r.await(ctx, "SELECT NOT EXISTS (SELECT FROM river_job WHERE state = 'running')")
	}
	if err == nil {
		r.end(r.steps)
	}
	return errors.Join(err, stop(), r.expectLedger(ctx, r.steps),
		r.expect(ctx, r.steps, "completed jobs", "SELECT count(*) FROM river_job WHERE state = 'completed'"))
}

func (v riverRun) enqueue(ctx context.Context, r *rig) error {
	pool, err := r.pool(ctx, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	client, err := riverInserter(pool)
	if err != nil {
		return err
	}
	for left := r.steps; left > 0; left -= min(left, 5000) {
		if _, err := client.InsertManyFast(ctx, riverParams(min(left, 5000))); err != nil {
			return err
		}
	}
	return nil
}
