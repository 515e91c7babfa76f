package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
	"github.com/idem-go/idem/runtime"
)

// enduring: what becomes of the table under a steady load, while autovacuum and retention run as they do by default.
func enduring() []measurement {
	return []measurement{
		{"endurance/idem-half-rate", "half of what a worker can do, for -endure, without which it is left out", "", endure},
	}
}

// endurances are looked at so many times; the peaks of the last third are compared with those of the second.
const endurances = 60

// endure takes the peaks of the last third of the time to those of the second: of the table with its indexes, and of
// its dead rows. In the first one the table grows, until retention begins to remove what is over.
func endure(ctx context.Context, r *rig) (err error) {
	if err := r.database(ctx, idemTables()); err != nil {
		return err
	}
	rate, err := fullRate(ctx, r)
	if err != nil {
		return err
	}
	run, keep := recorded, max(r.scale.endure/15, time.Millisecond)
	run.config.Retention = runtime.Retention{Completed: keep, ReplayWindow: keep}
	var completed atomic.Int64
	working, stop, err := run.start(ctx, r.url, func(e runtime.Event) {
		if e.Kind == runtime.EventCompleted {
			completed.Add(1)
		}
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	pool, err := r.pool(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	arriving, halt := await.Background(working, func(ctx context.Context) error { return arrivals(ctx, pool, rate/2) })
	seen, err := watch(arriving, r)
	if err := errors.Join(err, halt()); err != nil {
		return err
	}
	r.sample.Steps = int(completed.Load())
	r.sample.Unit = ofBefore
	r.sample.Value = seen.growth(func(s tableSize) float64 { return s.bytes })
	r.sample.Dead = seen.growth(func(s tableSize) float64 { return s.dead })
	r.sample.Note = fmt.Sprintf("%.0f steps a second, kept for %v; %s", rate/2, keep, seen)
	return nil
}

// fullRate is how many steps a worker completes in a second.
func fullRate(ctx context.Context, r *rig) (float64, error) {
	if err := recorded.enqueue(ctx, r, charges(r.steps)); err != nil {
		return 0, err
	}
	var began time.Time
	var took time.Duration
	err := recorded.complete(ctx, r, r.steps, func() { began = time.Now() }, func() { took = time.Since(began) })
	return float64(r.steps) / took.Seconds(), err
}

// arrivals enqueues rate steps a second until ctx ends.
func arrivals(ctx context.Context, pool *pgxpool.Pool, rate float64) error {
	client, began := runtime.NewClient(pool), time.Now()
	for sent := 0; ; {
		if await.Sleep(ctx, 50*time.Millisecond) != nil {
			return nil
		}
		due := int(rate*time.Since(began).Seconds()) - sent
		arriving := charges(min(due, 5000))
		if _, err := ledger.RecordAction.EnqueueMany(ctx, client, arriving, nil); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		sent += len(arriving)
	}
}

// tableSize is what the steps' table occupied at a time.
type tableSize struct{ bytes, dead float64 }

const tableSizeNow = `SELECT pg_total_relation_size('idem.steps'), pg_stat_get_dead_tuples('idem.steps'::regclass)`

// series are the sizes in the order of time.
type series []tableSize

func watch(ctx context.Context, r *rig) (seen series, err error) {
	began := time.Now()
	for i := range endurances {
		if err := await.Sleep(ctx, time.Until(began.Add(r.scale.endure*time.Duration(i+1)/endurances))); err != nil {
			return nil, err
		}
		var s tableSize
		if err := r.admin.QueryRow(ctx, tableSizeNow).Scan(&s.bytes, &s.dead); err != nil {
			return nil, err
		}
		seen = append(seen, s)
	}
	return seen, nil
}

// growth is the peak of the last third to that of the one before.
func (s series) growth(of func(tableSize) float64) float64 {
	third := len(s) / 3
	before := s[third : 2*third].peak(of)
	if before == 0 {
		return 1
	}
	return s[2*third:].peak(of) / before
}

func (s series) peak(of func(tableSize) float64) float64 {
	values := make([]float64, len(s))
	for i, size := range s {
		values[i] = of(size)
	}
	return slices.Max(values)
}

// String returns the peak of each tenth.
func (s series) String() string {
	sizes, dead := make([]string, 0, 10), make([]string, 0, 10)
	for part := range slices.Chunk(s, len(s)/10) {
		sizes = append(sizes, fmt.Sprintf("%.0f", part.peak(func(s tableSize) float64 { return s.bytes })/(1<<20)))
		dead = append(dead, fmt.Sprintf("%.0f", part.peak(func(s tableSize) float64 { return s.dead })/1000))
	}
	return "MiB " + strings.Join(sizes, " ") + "; thousands of dead rows " + strings.Join(dead, " ")
}
