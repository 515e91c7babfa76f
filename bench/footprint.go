package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
	"github.com/idem-go/idem/bench/process"
	"github.com/idem-go/idem/runtime"
)

// footprint: what workers occupy.
func footprint() []measurement {
	return []measurement{
		{"memory/idem-claimed", "memory of a worker process that runs 10,000 steps of 1 KiB at once", "", claims{}.memory},
		{"memory/idem-claimed-limited", "the same, with GOMEMLIMIT=" + memoryLimit, "", claims{limited: true}.memory},
		{"memory/idem-idle", "what 100 workers with nothing to do cost Postgres", "", idleWorkers},
	}
}

const (
	paddedBytes = 1 << 10
	memoryLimit = "88MiB" // of what Go counts: the program itself, some 8 MiB, is not in it
)

// claims are steps that a worker process holds all at once.
type claims struct {
	limited bool // it is told how much memory it may take
}

func (l claims) memory(ctx context.Context, r *rig) error {
	program, err := r.worker.path(ctx)
	if err != nil {
		return err
	}
	if err := r.database(ctx, idemTables()); err != nil {
		return err
	}
	charges := make([]ledger.Charge, r.scale.claimed)
	for i := range charges {
		charges[i] = ledger.Charge{Amount: 100, Padding: strings.Repeat("x", paddedBytes)}
	}
	if err := recorded.enqueue(ctx, r, charges); err != nil {
		return err
	}
	var settings []string
	if l.limited {
		settings = append(settings, "GOMEMLIMIT="+memoryLimit)
	}
	reports := make(chan childReport)
	c, err := startChild(ctx, program, process.Task{Kind: process.Hold, URL: r.url, Claims: len(charges)}, reports, settings...)
	if err != nil {
		return err
	}
	report, err := holdAndRelease(ctx, c, reports)
	if err := errors.Join(err, c.stop()); err != nil {
		return err
	}
	r.sample.Value, r.sample.Unit = report.Memory, mebibytes
	r.sample.Note = fmt.Sprintf("%d steps; %.0f MiB before them; after a collection heap %.0f MiB, stacks %.0f MiB",
		report.Steps, report.Before, report.Heap, report.Stacks)
	return recorded.check(ctx, r, len(charges))
}

func holdAndRelease(ctx context.Context, c *child, reports <-chan childReport) (childReport, error) {
	if err := c.tell(process.Go); err != nil {
		return childReport{}, err
	}
	report, err := nextReport(ctx, reports)
	if err != nil {
		return childReport{}, err
	}
	return report, c.tell(process.Release)
}

const idleWorkerCount = 100

func idleWorkers(ctx context.Context, r *rig) (err error) {
	if err := r.database(ctx, idemTables()); err != nil {
		return err
	}
	if err := r.counted(ctx); err != nil {
		return err
	}
	run := recorded
	run.config.Queues = map[string]int{runtime.DefaultQueue: 10}
	stops := make([]func() error, 0, idleWorkerCount)
	defer func() {
		for _, stop := range stops {
			err = errors.Join(err, stop())
		}
	}()
	for range idleWorkerCount {
		working, stop, err := run.start(ctx, r.url, func(runtime.Event) {})
		if err != nil {
			return err
		}
		ctx, stops = working, append(stops, stop)
	}
	// Each has a connection that listens, and one that has looked for steps.
	if err := r.await(ctx, fmt.Sprintf(`SELECT count(*) >= %d FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend'`, 2*idleWorkerCount)); err != nil {
		return err
	}
	if err := await.Sleep(ctx, min(r.scale.idle, 2*time.Second)); err != nil {
		return err
	}
	began := time.Now()
	r.begin()
	if err := await.Sleep(ctx, r.scale.idle); err != nil {
		return err
	}
	used, took := r.meter.since(), time.Since(began)
	r.sample.Value, r.sample.Unit = 100*used.postgres.Seconds()/took.Seconds(), ofACore
	r.sample.Note = fmt.Sprintf("%d workers; this process %.1f %% of a core", idleWorkerCount, 100*used.goTime.Seconds()/took.Seconds())
	return nil
}
