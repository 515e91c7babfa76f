package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
)

// growth: the rate when the table has grown, to that with nothing but the steps that are measured.
func growth() []measurement {
	const base = "growth/idem-empty"
	return []measurement{
		{base, "a table with the measured steps alone", base, func(ctx context.Context, r *rig) error { return recorded.drainSome(ctx, r, growthSteps(r)) }},
		{"growth/idem-unvacuumed", "many completed steps, never vacuumed: each has left two dead rows", base, grown{}.measure},
		{"growth/idem-misled", "the same; the statistics are of a time when nothing was pending", base, grown{misled: true}.measure},
		{"growth/idem-retention", "the same, while the worker removes the completed steps", base, grown{retention: true}.measure},
		{"growth/idem-snapshot", "the same, and a snapshot held open all the time, for -hold under load", base, grown{snapshot: true}.measure},
	}
}

// growthSteps are three times -n, so that what a worker puts off for its first second, the removal of old steps, falls into it too.
func growthSteps(r *rig) int { return min(3*r.steps, r.scale.pending) }

// grown is a table with many completed steps, and more pending ones than are measured.
type grown struct {
	misled    bool // analyzed before the pending steps came
	retention bool // the completed steps are old, and removed meanwhile
	snapshot  bool // nothing that dies can be removed
}

// The completed steps get their states one after the other, as workers would set them. Their effects are left out.
const (
	growthEnqueued = `INSERT INTO idem.steps (run_id, node, queue, max_attempts, input, input_digest, created_at)
SELECT 'run_' || md5(i::text), 'record', 'default', 20, '{"amount":100}', sha256('{"amount":100}'), now() - interval '2 hours'
FROM generate_series(1, $1::integer) AS i`

	growthClaimed = `UPDATE idem.steps
SET state = 'running', epoch = epoch + 1, worker = 'before', lease_expires_at = now() + interval '1 minute'`

	growthCompleted = `UPDATE idem.steps
SET state = 'completed', epoch = epoch + 1, lease_expires_at = NULL, finished_at = now() - interval '1 hour'`
)

func (g grown) measure(ctx context.Context, r *rig) error {
	if err := r.database(ctx, idemTables()); err != nil {
		return err
	}
	if g.snapshot {
		release, err := r.holdSnapshot(ctx)
		if err != nil {
			return err
		}
		defer release()
	}
	if err := g.fill(ctx, r); err != nil {
		return err
	}
	if g.snapshot {
		if err := g.load(ctx, r); err != nil {
			return err
		}
	}
	if err := r.counted(ctx); err != nil {
		return err
	}
	run, steps := recorded, growthSteps(r)
	if g.retention {
		run.config.Retention = runtime.Retention{Completed: time.Minute, ReplayWindow: time.Minute}
	}
	if err := run.work(ctx, r, steps); err != nil {
		return err
	}
	return errors.Join(run.consistent(ctx, r, steps), g.note(ctx, r))
}

// note says how soon the worker found its first step, which comes before the clock runs, and how much was removed before
// it stopped.
func (g grown) note(ctx context.Context, r *rig) error {
	r.sample.Note = fmt.Sprintf("first step after %.1f s", r.firstStep.Seconds())
	if !g.retention {
		return nil
	}
	var left int
	err := r.admin.QueryRow(ctx, "SELECT count(*) FROM idem.steps WHERE worker = 'before'").Scan(&left)
	r.sample.Note += fmt.Sprintf("; %d of %d removed", r.scale.completed-left, r.scale.completed)
	return err
}

func (g grown) fill(ctx context.Context, r *rig) error {
	if err := r.exec(ctx, "ALTER TABLE idem.steps SET (autovacuum_enabled = false)"); err != nil {
		return err
	}
	if _, err := r.admin.Exec(ctx, growthEnqueued, r.scale.completed); err != nil {
		return err
	}
	if err := r.exec(ctx, growthClaimed, growthCompleted); err != nil {
		return err
	}
	pending := charges(r.scale.pending)
	if g.misled {
		if err := r.exec(ctx, "ANALYZE"); err != nil {
			return err
		}
		return recorded.enqueue(ctx, r, pending)
	}
	if err := recorded.enqueue(ctx, r, pending); err != nil {
		return err
	}
	return r.exec(ctx, "ANALYZE")
}

// load works and enqueues in turns for the time that the snapshot is to be held. A worker completes more than it is waited for:
// at the end as many steps are pending again as before.
func (g grown) load(ctx context.Context, r *rig) error {
	more := charges(min(r.steps, r.scale.pending))
	nothing := func() {}
	for end := time.Now().Add(r.scale.hold); time.Now().Before(end); {
		if err := recorded.complete(ctx, r, len(more), nothing, nothing); err != nil {
			return err
		}
		if err := recorded.enqueue(ctx, r, more); err != nil {
			return err
		}
	}
	var left int
	if err := r.admin.QueryRow(ctx, "SELECT count(*) FROM idem.steps WHERE state = 'pending'").Scan(&left); err != nil {
		return err
	}
	return recorded.enqueue(ctx, r, charges(r.scale.pending-left))
}

// holdSnapshot opens a transaction that must go on to see all that is there now.
func (r *rig) holdSnapshot(ctx context.Context) (release func(), err error) {
	conn, err := pgx.Connect(ctx, r.url)
	if err != nil {
		return nil, err
	}
	release = func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM idem.steps"); err != nil {
		release()
		return nil, err
	}
	return release, nil
}
