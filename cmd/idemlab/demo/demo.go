package demo

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/progress"
	"github.com/idem-go/idem/examples/payments/migrations"
	schema "github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/pgtest"
)

// Options say how large the demonstration is. Each must be positive, Kills may be 0.
type Options struct {
	Runs    int    // runs to enqueue; follow-ups come on top
	Workers int    // worker processes
	Kills   int    // workers to kill
	Seed    uint64 // of the choice of victims and moments
}

// Run runs the demonstration, tells on out how it goes, and gives what it found. terminal lets the
// progress stay in one line.
func Run(ctx context.Context, o Options, out io.Writer, terminal bool) (Report, error) {
	say := progress.New(out, terminal)
	server, err := pgtest.Start(ctx, pgtest.Durable())
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = server.Stop() }()
	url, err := server.NewDatabase(ctx)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = server.DropDatabase(context.WithoutCancel(ctx), url) }()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return Report{}, err
	}
	defer pool.Close()
	if err := prepare(ctx, pool); err != nil {
		return Report{}, err
	}
	say.Linef("Postgres from %s", server.Source())
	say.Linef("Seed %d: %d runs on %d worker processes, %d of which get a SIGKILL while they work.", o.Seed, o.Runs, o.Workers, o.Kills)

	work, err := enqueue(ctx, pool, o.Runs)
	if err != nil {
		return Report{}, err
	}
	began := time.Now()
	tally := &tally{executions: map[string]int{}}
	fleet, err := startWorkers(o.Workers, url, tally)
	if err != nil {
		return Report{}, err
	}
	defer fleet.killAll()
	if err := disturb(ctx, pool, fleet, o, work, say); err != nil {
		return Report{}, err
	}
	if err := fleet.stop(); err != nil {
		return Report{}, err
	}
	say.End()
	report, err := count(ctx, pool, work)
	report.Kills, report.KilledInside = fleet.kills, fleet.inside
	report.Executions, report.Repeated = tally.counts()
	report.Took = time.Since(began)
	return report, err
}

func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := schema.Up(ctx, pool, schema.DefaultSchema); err != nil {
		return err
	}
	texts, err := migrations.SQL()
	if err != nil {
		return err
	}
	for _, text := range texts {
		if _, err := pool.Exec(ctx, text); err != nil {
			return fmt.Errorf("the example's migrations: %w", err)
		}
	}
	return nil
}

// deadline is when a demonstration that makes no headway is given up.
const deadline = 3 * time.Minute

// disturb watches the work until all of it has ended, and kills a worker whenever another share of it is done.
func disturb(ctx context.Context, pool *pgxpool.Pool, fleet *workers, o Options, work workload, say *progress.Bar) error {
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, fmt.Errorf("the work did not end within %v", deadline))
	defer cancel()
	random := rand.New(rand.NewPCG(o.Seed, 1))
	for {
		done, err := ended(ctx, pool)
		if err != nil {
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		if err := fleet.failure(); err != nil {
			return err
		}
		say.Update(done, work.steps(), fmt.Sprintf("%s of %s steps, %d kills",
			progress.Thousands(done), progress.Thousands(work.steps()), fleet.kills))
		if done >= work.steps() {
			return nil
		}
		if fleet.kills < o.Kills && done >= work.steps()*(fleet.kills+1)/(o.Kills+2) {
			if err := fleet.kill(random.IntN(o.Workers)); err != nil {
				return err
			}
		}
		// A random pause, so that the kills fall everywhere.
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Duration(20+random.IntN(60)) * time.Millisecond):
		}
	}
}

func ended(ctx context.Context, pool *pgxpool.Pool) (n int, err error) {
	err = pool.QueryRow(ctx, `SELECT count(*) FROM idem.steps WHERE finished_at IS NOT NULL`).Scan(&n)
	return n, err
}
