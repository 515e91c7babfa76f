package main

import (
	"context"
	"errors"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
	"github.com/idem-go/idem/runtime"
)

// latency: one step at a time on an idle system, from its enqueueing until its effect is committed.
func latency() []measurement {
	const base = "latency/river-1ms"
	return []measurement{
		{"latency/idem", "idem with its defaults", base, idemLatency},
		{base, "River, FetchCooldown 1 ms", base, riverRun{atomic: true, workers: 10, cooldown: time.Millisecond}.latency},
		{"latency/river", "River with its defaults, a job each 150 ms, which is longer than its FetchCooldown", base, riverRun{atomic: true, workers: 10, defaults: true}.latency},
		{"latency/dbos-5ms", "DBOS, polling its queue each 5 ms", base, dbosLatency},
	}
}

const (
	latencyPause      = 10 * time.Millisecond
	riverLatencyPause = 150 * time.Millisecond
	latencyWarmUp     = 20
)

// oneByOne enqueues, waits for the commit, pauses, and so on.
func (r *rig) oneByOne(ctx context.Context, pause time.Duration, committed <-chan struct{}, enqueue func() error) error {
	times := make([]time.Duration, 0, r.scale.samples)
	warmUp := r.sampled() - r.scale.samples
	for i := range r.sampled() {
		if err := await.Sleep(ctx, pause); err != nil {
			return err
		}
		began := time.Now()
		if err := enqueue(); err != nil {
			return err
		}
		select {
		case <-committed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if i >= warmUp {
			times = append(times, time.Since(began))
		}
	}
	r.sample.latencies(times)
	return nil
}

// sampled is how many steps there are in all.
func (r *rig) sampled() int { return min(latencyWarmUp, r.scale.samples) + r.scale.samples }

func idemLatency(ctx context.Context, r *rig) error {
	if err := r.database(ctx, idemTables()); err != nil {
		return err
	}
	committed := make(chan struct{}, 1)
	run := recorded
	working, stop, err := run.start(ctx, r.url, func(e runtime.Event) {
		if e.Kind == runtime.EventCompleted {
			committed <- struct{}{}
		}
	})
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, r.url)
	if err != nil {
		return errors.Join(err, stop())
	}
	defer pool.Close()
	client := runtime.NewClient(pool)
	err = r.oneByOne(working, latencyPause, committed, func() error {
		_, err := run.action.Enqueue(ctx, client, ledger.Charge{Amount: 100})
		return err
	})
	return errors.Join(err, stop(), run.check(ctx, r, r.sampled()))
}

func (v riverRun) latency(ctx context.Context, r *rig) error {
	if err := r.database(ctx, riverTables()); err != nil {
		return err
	}
	committed := make(chan struct{}, 1)
	client, stop, err := v.start(ctx, r, func() {}, func() { committed <- struct{}{} })
	if err != nil {
		return err
	}
	pause := latencyPause
	if v.defaults {
		pause = riverLatencyPause
	}
	err = r.oneByOne(ctx, pause, committed, func() error {
		_, err := client.Insert(ctx, newPeerCharge(), nil)
		return err
	})
	return errors.Join(err, stop(), r.expectLedger(ctx, r.sampled()))
}

func dbosLatency(ctx context.Context, r *rig) error {
	if err := r.database(ctx); err != nil {
		return err
	}
	if err := r.exec(ctx, peerLedger); err != nil {
		return err
	}
	committed := make(chan struct{}, 1)
	app, stop, err := dbosRun{
		workers: 10, pool: 8, poll: 5 * time.Millisecond, began: func() {}, committed: func() { committed <- struct{}{} },
	}.start(ctx, r)
	if err != nil {
		return err
	}
	if err = dbos.Launch(app); err == nil {
		err = r.oneByOne(ctx, latencyPause, committed, func() error { return dbosEnqueue(app) })
	}
	stop()
	return errors.Join(err, r.expectLedger(ctx, r.sampled()))
}
