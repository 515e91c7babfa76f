package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/runtime/pgtest"
)

// rig is what one measurement works with: a database of its own, a meter, and the sample that it fills.
type rig struct {
	server *pgtest.Server
	worker *workerProgram
	steps  int
	scale  scale
	sample Sample
	// firstStep is how long after its start a worker began its first step.
	firstStep time.Duration

	url   string
	admin *pgx.Conn
	meter meter
}

// database makes the measurement's database.
func (r *rig) database(ctx context.Context, contents ...pgtest.Option) (err error) {
	if r.url, err = r.server.NewDatabase(ctx, contents...); err != nil {
		return err
	}
	r.admin, err = pgx.Connect(ctx, r.url)
	return err
}

func (r *rig) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if r.admin != nil {
		_ = r.admin.Close(ctx)
	}
	if r.url != "" {
		_ = r.server.DropDatabase(ctx, r.url)
	}
}

// setting is a parameter of the connections of a pool.
type setting struct{ name, value string }

// genericPlans keeps Postgres from planning a prepared statement anew at each call.
var genericPlans = setting{"plan_cache_mode", "force_generic_plan"}

// pool connects size times, before anything is measured.
func (r *rig) pool(ctx context.Context, size int, settings ...setting) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(r.url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns, cfg.MinConns = int32(size), int32(size)
	for _, s := range settings {
		cfg.ConnConfig.RuntimeParams[s.name] = s.value
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	for range 1000 {
		if pool.Stat().TotalConns() >= int32(size) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return pool, pool.Ping(ctx)
}

func (r *rig) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := r.admin.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.80s: %w", sql, err)
		}
	}
	return nil
}

// expect fails the measurement unless a query counts want rows.
func (r *rig) expect(ctx context.Context, want int, what, sql string) error {
	var got int
	if err := r.admin.QueryRow(ctx, sql).Scan(&got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%d %s, but it should be %d", got, what, want)
	}
	return nil
}

// await asks until a query gives true.
func (r *rig) await(ctx context.Context, sql string) error {
	for {
		var done bool
		if err := r.admin.QueryRow(ctx, sql).Scan(&done); err != nil || done {
			return err
		}
		if err := await.Sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// ready is called when the work is there and nobody works yet: every peer starts with known statistics and an empty
// write-ahead log.
func (r *rig) ready(ctx context.Context) error {
	return errors.Join(r.exec(ctx, "VACUUM ANALYZE"), r.counted(ctx))
}

// counted is ready for those who see to their tables themselves.
func (r *rig) counted(ctx context.Context) error {
	if err := r.exec(ctx, "CHECKPOINT"); err != nil {
		return err
	}
	return r.meter.count(ctx, r.admin)
}

// begin starts the clock, when it is called first: every handler does.
func (r *rig) begin() { r.meter.begin() }

// end stops the clock after steps steps.
func (r *rig) end(steps int) { r.meter.end(steps, &r.sample) }

// finish adds what Postgres counts, which it tells only when the measurement's connections are gone.
func (r *rig) finish(ctx context.Context) error {
	if !r.meter.counts {
		return nil
	}
	return r.meter.finish(ctx, r.admin, &r.sample)
}
