package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/retention"
	"github.com/idem-go/idem/runtime/internal/sign"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/internal/value"
)

// Retention says how long the evidence of finished calls is kept.
type Retention struct {
	// Schema has the runtime's tables. Default: idem.
	Schema string
	// Keep is how long an intent stays after its outcome was known for good. It must not be shorter than ReplayWindow, nor
	// than the window of a provider with its margin.
	Keep time.Duration
	// ReplayWindow is the longest time after which the same step may come again although its row is gone: a client that
	// enqueues it under its key once more, a backfill, a redelivered message.
	ReplayWindow time.Duration
	// Batch is how many calls are looked at in one transaction. Default: 500.
	Batch int
}

// ErrRetention is [runtime.ErrRetention]: evidence would be removed while what it is for can still happen.
var ErrRetention = runtime.ErrRetention

// Declared is a [Provider], whatever its types.
type Declared interface{ declared() *definition }

func (p *Provider[Req, Receipt]) declared() *definition { return &p.def }

// Purger removes intents, and their history, that nobody needs any more.
//
// The intents of a step go together, with the compensations of its calls, and only when none of them is open, was settled
// less than [Retention.Keep] ago, or is within its provider's window and margin. They stay for as long as a step of theirs
// can run: one that is pending or running, and one that was discarded, since [runtime.Client.Retry] runs it again under
// its keys. A compensation that comes later than its call is kept finds nothing to take back, and fails.
type Purger struct {
	db     DB
	keep   Retention
	margin time.Duration
}

// NewPurger makes a purger. Give it the providers that there are, so that it can refuse to forget earlier than they do.
// The windows that stand in the intents themselves are respected in any case.
func NewPurger(db DB, keep Retention, providers ...Declared) (*Purger, error) {
	p := &Purger{db: db, keep: keep}
	if p.keep.Schema == "" {
		p.keep.Schema = runtime.DefaultSchema
	}
	if p.keep.Batch == 0 {
		p.keep.Batch = 500
	}
	if err := errors.Join(
		retention.Check(keep.ReplayWindow, retention.Time{Name: "Retention.Keep", Keep: keep.Keep}),
		sign.Check("provider.Retention", sign.Int("Batch", keep.Batch)),
	); err != nil {
		return nil, err
	}
	if keep.Keep == 0 {
		return nil, errors.New("idem: provider.Retention.Keep is not set; a purger that keeps for ever has nothing to do")
	}
	for _, declared := range providers {
		d := declared.declared()
		if least := d.window + d.margin; keep.Keep < least {
			return nil, fmt.Errorf("%w: Keep is %v, and provider %s remembers a key for %v, with a margin of %v; raise Keep to %v",
				ErrRetention, keep.Keep, d.name, d.window, d.margin, least)
		}
		p.margin = max(p.margin, d.margin)
	}
	return p, nil
}

// sqlOldCalls finds calls whose outcome is known for long enough, behind the one that was looked at last.
const sqlOldCalls = `SELECT key, settled_at FROM "idem".intents
WHERE settled_at < clock_timestamp() - $1::bigint * interval '1 microsecond' AND compensates IS NULL
  AND (settled_at, key) > ($2::timestamptz, $3::text)
ORDER BY settled_at, key LIMIT $4::bigint`

// sqlMembers returns what goes together with the calls $1: all calls of their steps, and the compensations of these. Each
// is a member of the step of its call; its own step is the one that made it.
const sqlMembers = `WITH calls AS MATERIALIZED (
    SELECT c.* FROM "idem".intents c
    WHERE c.compensates IS NULL AND (c.run_id, c.node) IN (SELECT o.run_id, o.node FROM "idem".intents o WHERE o.key = ANY ($1::text[]))),
members AS MATERIALIZED (
    SELECT c.run_id AS of_run, c.node AS of_node, c.* FROM calls c
    UNION ALL
    SELECT c.run_id, c.node, u.* FROM calls c JOIN "idem".intents u ON u.compensates = c.key)`

// sqlLock locks them. What somebody is at is left out.
const sqlLock = sqlMembers + `
SELECT i.key, i.provider FROM "idem".intents i WHERE i.key = ANY (ARRAY(SELECT m.key FROM members m)) FOR UPDATE SKIP LOCKED`

// sqlPurge removes those that can go, of what is locked ($2): it looks at everything once more, since nobody can change it
// now. $3 are the runs in which an operator's compensation of each would be done.
const sqlPurge = sqlMembers + `,
kept AS MATERIALIZED (
    SELECT m.of_run, m.of_node FROM members m LEFT JOIN unnest($2::text[], $3::text[]) AS locked(key, undo_run) ON locked.key = m.key
    WHERE locked.key IS NULL OR m.settled_at IS NULL
       OR m.settled_at >= clock_timestamp() - $4::bigint * interval '1 microsecond'
       OR m.window_ends_at >= clock_timestamp() - $5::bigint * interval '1 microsecond'
       OR EXISTS (SELECT FROM "idem".steps s WHERE s.run_id = m.run_id AND s.node = m.node AND s.state NOT IN ('completed', 'cancelled'))
       OR EXISTS (SELECT FROM "idem".steps s WHERE s.run_id = locked.undo_run AND s.state NOT IN ('completed', 'cancelled')))
DELETE FROM "idem".intents i WHERE i.key = ANY (ARRAY(
    SELECT m.key FROM members m WHERE NOT EXISTS (SELECT FROM kept k WHERE k.of_run = m.of_run AND k.of_node = m.of_node)))`

// Purge removes what can go, in batches, and returns the number of intents. Any number of purges may run at the same time.
// Its session needs the right to delete, which workers do without.
func (p *Purger) Purge(ctx context.Context) (removed int, err error) {
	var at time.Time // the last call that was looked at
	var key string
	for {
		rows, err := p.db.Query(ctx, store.In(p.keep.Schema, sqlOldCalls), p.keep.Keep.Microseconds(), at, key, p.keep.Batch)
		if err != nil {
			return removed, err
		}
		var calls []string
		if _, err = pgx.ForEachRow(rows, []any{&key, &at}, func() error {
			calls = append(calls, key)
			return nil
		}); err != nil {
			return removed, err
		}
		if len(calls) > 0 {
			n, err := p.remove(ctx, calls)
			removed += n
			if err != nil {
				return removed, err
			}
		}
		if len(calls) < p.keep.Batch {
			return removed, nil
		}
	}
}

// remove removes calls and what goes together with them, where all of it can go.
func (p *Purger) remove(ctx context.Context, calls []string) (removed int, err error) {
	err = pgx.BeginFunc(ctx, p.db, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, store.In(p.keep.Schema, sqlLock), calls)
		if err != nil {
			return err
		}
		var locked, undoRuns []string
		var key, provider string
		if _, err := pgx.ForEachRow(rows, []any{&key, &provider}, func() error {
			locked, undoRuns = append(locked, key), append(undoRuns, undoRun(provider, key))
			return nil
		}); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, store.In(p.keep.Schema, sqlPurge), calls, locked, undoRuns, p.keep.Keep.Microseconds(), p.margin.Microseconds())
		removed = int(tag.RowsAffected())
		return err
	})
	return removed, err
}

// undoRun is the run that [Operator.Compensate] enqueues for a call.
func undoRun(provider, key string) string {
	return value.KeyedRunID("", undoAction(provider).Name(), key)
}
