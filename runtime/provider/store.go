package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
)

// sqlPrepare makes an intent, once per key. The call is about to be sent, so it counts as sent from here on.
const sqlPrepare = `INSERT INTO "idem".intents
    (key, run_id, node, provider, item, generation, compensates, request, request_digest, undoable, owner, actor, reason, window_ends_at)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::integer, NULLIF($7::text, ''), $8::json, $9::bytea, $10::boolean,
    $11::text, $12::text, $13::text, clock_timestamp() + NULLIF($14::bigint, 0) * interval '1 microsecond')
ON CONFLICT (key) DO NOTHING`

const sqlLoad = `SELECT ` + intentColumns + ` FROM "idem".intents WHERE key = $1::text`

// sqlLatest finds the last generation of a call, sqlLatestUndo that of a compensation.
const (
	sqlLatest = `SELECT ` + intentColumns + ` FROM "idem".intents
WHERE run_id = $1::text AND node = $2::text AND provider = $3::text AND item = $4::text AND compensates IS NULL
ORDER BY generation DESC LIMIT 1`
	sqlLatestUndo = `SELECT ` + intentColumns + ` FROM "idem".intents
WHERE compensates = $1::text ORDER BY generation DESC LIMIT 1`
)

// All changes name the epoch that they are based on. Where it has moved on they change nothing.

// sqlSettle stores what is known for good.
const sqlSettle = `UPDATE "idem".intents
SET state = $3::text, receipt = $4::json, settled_at = clock_timestamp(), not_before = NULL, quarantined = false,
    epoch = epoch + 1, actor = $5::text, reason = $6::text
WHERE key = $1::text AND epoch = $2::bigint`

// sqlDoubt stores that the outcome is not known.
const sqlDoubt = `UPDATE "idem".intents
SET state = 'unknown', checks = checks + 1, quarantined = quarantined OR $5::boolean,
    not_before = clock_timestamp() + NULLIF($6::bigint, 0) * interval '1 microsecond',
    epoch = epoch + 1, actor = $3::text, reason = $4::text
WHERE key = $1::text AND epoch = $2::bigint`

// sqlAgain stores that the call is about to be sent again. The window begins anew only where nothing is in doubt.
const sqlAgain = `UPDATE "idem".intents
SET dispatches = dispatches + 1, dispatched_at = clock_timestamp(), not_before = NULL, owner = $5::text,
    window_ends_at = CASE WHEN $6::boolean THEN clock_timestamp() + NULLIF($7::bigint, 0) * interval '1 microsecond' ELSE window_ends_at END,
    epoch = epoch + 1, actor = $3::text, reason = $4::text
WHERE key = $1::text AND epoch = $2::bigint`

// sqlUnsent stores that a prepared call has not left. It does not ask for state = 'prepared', on purpose: the partial index of
// open calls would tempt the planner to read all of them.
const sqlUnsent = `UPDATE "idem".intents SET dispatched_at = NULL, epoch = epoch + 1, actor = $3::text, reason = $4::text
WHERE key = $1::text AND epoch = $2::bigint AND settled_at IS NULL AND state <> 'unknown'`

// sqlRemark adds to the history and changes nothing else.
const sqlRemark = `UPDATE "idem".intents SET epoch = epoch + 1, actor = $3::text, reason = $4::text
WHERE key = $1::text AND epoch = $2::bigint`

// returning is appended to the changes, to read the intent back.
const returning = ` RETURNING ` + intentColumns

// intents are those of one execution.
type intents struct {
	*step.Execution
}

// aside runs statements outside the completion transaction; lasting, also after the attempt's end.
type aside func(what string, op func(ctx context.Context, db store.DB) error) error

// change changes an intent, if its epoch is still the one that in has, and returns it as it is then. changed is false
// when somebody else has changed it; in is then as they left it. args are those behind key and epoch.
func (s intents) change(in Intent, run aside, sql string, args ...any) (now Intent, changed bool, err error) {
	args = append([]any{in.Key, in.Epoch}, args...)
	err = run("change an intent", func(ctx context.Context, db store.DB) error {
		now, err = loadOne(ctx, db, s.Host.Schema, sql+returning, args...)
		if changed = err == nil; changed || !errors.Is(err, ErrNotFound) {
			return err
		}
		now, err = loadOne(ctx, db, s.Host.Schema, sqlLoad, in.Key)
		return err
	})
	return now, changed, err
}

// load returns the intent that a query selects; [ErrNotFound] if there is none.
func (s intents) load(sql string, args ...any) (in Intent, err error) {
	err = s.Aside("read an intent", func(ctx context.Context, db store.DB) error {
		in, err = loadOne(ctx, db, s.Host.Schema, sql, args...)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
	if err == nil && in.Key == "" {
		err = ErrNotFound
	}
	return in, err
}

func loadOne(ctx context.Context, db store.DB, schema, sql string, args ...any) (Intent, error) {
	rows, err := db.Query(ctx, store.In(schema, sql), args...)
	if err != nil {
		return Intent{}, err
	}
	in, err := pgx.CollectOneRow(rows, scanIntent)
	if errors.Is(err, pgx.ErrNoRows) {
		return Intent{}, fmt.Errorf("%w: %v", ErrNotFound, args[0])
	}
	return in, err
}

// prepare makes the intent, or gives the one that is there; mine reports whether this very call has made it.
func (s intents) prepare(in Intent, window time.Duration) (now Intent, mine bool, err error) {
	err = s.Aside("prepare an intent", func(ctx context.Context, db store.DB) error {
		tag, err := db.Exec(ctx, store.In(s.Host.Schema, sqlPrepare), in.Key, in.RunID, in.Node, in.Provider, in.Item, in.Generation, in.Compensates,
			string(in.Request), in.Digest, in.Undoable, in.owner, in.Actor, in.Reason, window.Microseconds())
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 1 {
			now, mine = in, true
			return nil
		}
		now, err = loadOne(ctx, db, s.Host.Schema, sqlLoad, in.Key)
		// After a lost answer the row that is there may be our own.
		mine = now.owner == in.owner
		return err
	})
	return now, mine, err
}
