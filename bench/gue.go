package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/vgarvardt/gue/v5"
	"github.com/vgarvardt/gue/v5/adapter"
	"github.com/vgarvardt/gue/v5/adapter/pgxv5"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
)

const gueWorkers = 16

// gueTable is gue's own, as its documentation gives it.
const gueTable = `CREATE TABLE gue_jobs (
    job_id text NOT NULL PRIMARY KEY, priority smallint NOT NULL, run_at timestamptz NOT NULL, job_type text NOT NULL,
    args bytea NOT NULL, error_count integer NOT NULL DEFAULT 0, last_error text, queue text NOT NULL,
    created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL);
CREATE INDEX idx_gue_jobs_selector ON gue_jobs (queue, run_at, priority)`

const gueKind = "charge"

// gueDrain: a job is done when its row is gone.
func gueDrain(ctx context.Context, r *rig) error {
	if err := r.database(ctx); err != nil {
		return err
	}
	if err := r.exec(ctx, peerLedger, gueTable); err != nil {
		return err
	}
	if err := gueEnqueue(ctx, r); err != nil {
		return err
	}
	if err := r.ready(ctx); err != nil {
		return err
	}
	pool, err := r.pool(ctx, gueWorkers+1)
	if err != nil {
		return err
	}
	defer pool.Close()
	client, err := gue.NewClient(pgxv5.NewConnPool(pool))
	if err != nil {
		return err
	}
	done := await.NewTally(r.steps)
	work := func(ctx context.Context, j *gue.Job) error {
		r.begin()
		var in peerCharge
		if err := json.Unmarshal(j.Args, &in); err != nil {
			return err
		}
		if _, err := j.Tx().Exec(ctx, peerInsert, in.RunID, in.Node, in.Amount, ledger.Memo); err != nil {
			return err
		}
		done.Add()
		return nil
	}
	workers, err := gue.NewWorkerPool(client, gue.WorkMap{gueKind: work}, gueWorkers,
		gue.WithPoolPollStrategy(gue.RunAtPollStrategy), gue.WithPoolPollInterval(50*time.Millisecond), gue.WithPoolLogger(adapter.NoOpLogger{}))
	if err != nil {
		return err
	}
	measured, stop := await.Background(ctx, workers.Run)
	err = done.Wait(measured)
	if err == nil { // the deletes of the last jobs follow
		err = r.await(ctx, "SELECT NOT EXISTS (SELECT FROM gue_jobs)")
	}
	if err == nil {
		r.end(r.steps)
	}
	_ = stop()
	return errors.Join(err, r.expectLedger(ctx, r.steps), r.expect(ctx, 0, "jobs left", "SELECT count(*) FROM gue_jobs"))
}

func gueEnqueue(ctx context.Context, r *rig) error {
	pool, err := r.pool(ctx, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	client, err := gue.NewClient(pgxv5.NewConnPool(pool))
	if err != nil {
		return err
	}
	for left := r.steps; left > 0; left -= min(left, 1000) {
		jobs := make([]*gue.Job, min(left, 1000))
		for i := range jobs {
			args, err := json.Marshal(newPeerCharge())
			if err != nil {
				return err
			}
			jobs[i] = &gue.Job{Type: gueKind, Args: args}
		}
		if err := client.EnqueueBatch(ctx, jobs); err != nil {
			return err
		}
	}
	return nil
}
