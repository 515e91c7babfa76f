package main

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
	"github.com/idem-go/idem/bench/process"
	schema "github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/pgtest"
)

//go:embed migrations/*.sql
var generated embed.FS

// quietly is for all that logs: nobody reads it here, and printing takes time.
var quietly = slog.New(slog.DiscardHandler)

// idemTables are the runtime's tables, the generated ones, and what the handlers need beside them.
func idemTables() pgtest.Option {
	return pgtest.Migrated("idem", func(ctx context.Context, pool *pgxpool.Pool) error {
		if _, err := schema.Up(ctx, pool, schema.DefaultSchema); err != nil {
			return err
		}
		names, err := fs.Glob(generated, "migrations/*.sql")
		if err != nil {
			return err
		}
		for _, name := range names {
			text, err := generated.ReadFile(name)
			if err != nil {
				return err
			}
			if _, err := pool.Exec(ctx, string(text)); err != nil {
				return err
			}
		}
		_, err = pool.Exec(ctx, `
ALTER TABLE ledger ADD CHECK (amount >= 0);
CREATE TABLE charges (run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL, amount bigint NOT NULL, memo text,
    created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (run_id, node));`)
		return err
	})
}

// idemRun is one way to work through steps.
type idemRun struct {
	action   *runtime.Action[ledger.Charge]
	register func(*runtime.Registry)
	table    string // where the effects are
	config   runtime.Config
}

var (
	recorded = idemRun{action: ledger.RecordAction, register: ledger.RegisterRecord, table: "ledger"}
	directly = idemRun{action: ledger.WriteAction, register: ledger.RegisterWrite, table: "charges"}
	slowly   = idemRun{action: ledger.RecordSlowlyAction, register: ledger.RegisterRecordSlowly, table: "ledger"}
)

// drain enqueues steps and measures how fast a worker does them.
func (i idemRun) drain(ctx context.Context, r *rig) error { return i.drainSome(ctx, r, r.steps) }

// drainSome is drain for a number of steps.
func (i idemRun) drainSome(ctx context.Context, r *rig, steps int) error {
	if err := r.database(ctx, idemTables()); err != nil {
		return err
	}
	if err := i.enqueue(ctx, r, charges(steps)); err != nil {
		return err
	}
	if err := r.ready(ctx); err != nil {
		return err
	}
	if err := i.work(ctx, r, steps); err != nil {
		return err
	}
	return i.check(ctx, r, steps)
}

// charges are the inputs of n steps.
func charges(n int) []ledger.Charge {
	all := make([]ledger.Charge, n)
	for i := range all {
		all[i].Amount = 100
	}
	return all
}

// enqueue adds steps, many at a time, before anything is measured.
func (i idemRun) enqueue(ctx context.Context, r *rig, charges []ledger.Charge) error {
	pool, err := r.pool(ctx, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	client := runtime.NewClient(pool)
	for len(charges) > 0 {
		n := min(len(charges), 1000)
		if _, err := i.action.EnqueueMany(ctx, client, charges[:n], nil); err != nil {
			return err
		}
		charges = charges[n:]
	}
	return nil
}

// work measures how fast a worker completes steps steps.
func (i idemRun) work(ctx context.Context, r *rig, steps int) error {
	started := time.Now()
	began := func() {
		r.begin()
		r.firstStep = time.Since(started)
	}
	return i.complete(ctx, r, steps, began, func() { r.end(steps) })
}

// complete runs a worker until steps steps are completed. It tells when the first handler begins, and when the last
// completion is committed.
func (i idemRun) complete(ctx context.Context, r *rig, steps int, began, ended func()) error {
	done := await.NewTally(steps)
	var first sync.Once
	ctx, stop, err := i.start(ctx, r.url, func(e runtime.Event) {
		switch e.Kind {
		case runtime.EventStarted:
			first.Do(began)
		case runtime.EventCompleted:
			done.Add()
		}
	})
	if err != nil {
		return err
	}
	if err := done.Wait(ctx); err != nil {
		_ = stop()
		return err
	}
	ended()
	return stop()
}

// start starts a worker, as process.Start does.
func (i idemRun) start(ctx context.Context, url string, observe func(runtime.Event)) (context.Context, func() error, error) {
	cfg := i.config
	cfg.Observer = runtime.ObserverFunc(observe)
	return process.Start(ctx, url, i.register, cfg)
}

// consistent is check where more than steps may have been completed before the worker stopped.
func (i idemRun) consistent(ctx context.Context, r *rig, steps int) error {
	var effects int
	if err := r.admin.QueryRow(ctx, "SELECT count(*) FROM "+i.table).Scan(&effects); err != nil {
		return err
	}
	return i.check(ctx, r, max(effects, steps))
}

// check compares the effects with the completions: steps of each.
func (i idemRun) check(ctx context.Context, r *rig, steps int) error {
	if err := r.expect(ctx, steps, "effects", "SELECT count(*) FROM "+i.table); err != nil {
		return err
	}
	return r.expect(ctx, steps, "completed steps with an effect",
		"SELECT count(*) FROM idem.steps s JOIN "+i.table+" USING (run_id, node) WHERE s.state = 'completed'")
}
