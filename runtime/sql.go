package runtime

import (
	"strings"

	"github.com/jackc/pgx/v5"
)

// DefaultSchema is where the runtime's tables are unless a Config says otherwise.
const DefaultSchema = "idem"

// schemaVersion is the version of the tables that this code needs, see migrations.
const schemaVersion = 3

// inputGuard is the CHECK constraint that a second input under one run and node runs into.
const inputGuard = "steps_digest_check"

// sqlLeaseLost is the SQLSTATE that the function lease_lost raises.
const sqlLeaseLost = "ID001"

// statements are the runtime's SQL texts for one schema. In the constants below the schema stands as
// "idem", with its quotes, and is replaced by the configured one.
type statements struct {
	insert, insertNew           string
	insertMany, insertManyNew   string
	claim, claimThese, behind   string
	input                       string
	settle, digests             string
	complete, completeOne       string
	heartbeat, sweep, readBack  string
	due, expired, retire        string
	status, cancel, retry, wake string
	version                     string
	channel                     string
}

func newStatements(schema string) *statements {
	quoted := pgx.Identifier{schema}.Sanitize()
	in := func(sql string) string { return strings.ReplaceAll(sql, `"idem"`, quoted) }
	return &statements{
		insert: in(sqlInsert), insertNew: in(sqlInsertNew), insertMany: in(sqlInsertMany), insertManyNew: in(sqlInsertManyNew), digests: in(sqlDigests),
		claim: in(sqlClaim), claimThese: in(sqlClaimThese), behind: in(sqlBehind), input: in(sqlInput), complete: in(sqlComplete), completeOne: in(sqlCompleteOne), settle: in(sqlSettle),
		heartbeat: in(sqlHeartbeat), sweep: in(sqlSweep), readBack: in(sqlReadBack), due: in(sqlDue), expired: in(sqlExpired), retire: in(sqlRetire),
		status: in(sqlStatus), cancel: in(sqlCancel), retry: in(sqlRetry), wake: in(sqlWake), version: in(sqlVersion),
		channel: channelName(schema),
	}
}

// channelName is the NOTIFY channel of a schema; the payload is a queue's name.
func channelName(schema string) string {
	if len(schema) > 50 {
		return derivedID("idem_", schema)
	}
	return "idem_" + schema
}

// sqlInsertNew adds a step of a run that has just got its id: nobody else has it.
const sqlInsertNew = `INSERT INTO "idem".steps AS s (run_id, node, queue, max_attempts, max_reclaims, scheduled_at, input, input_digest)
VALUES ($1::text, $2::text, $3::text, $4::integer, $5::integer,
        COALESCE($6::timestamptz, now()) + $7::bigint * interval '1 microsecond', $8::json, $9::bytea)`

// sqlInsertManyNew is sqlInsertNew for many runs of one node.
const sqlInsertManyNew = `INSERT INTO "idem".steps AS s (run_id, node, queue, max_attempts, max_reclaims, scheduled_at, input, input_digest)
SELECT v.run_id, $1::text, $2::text, $3::integer, $4::integer,
       COALESCE(v.scheduled_at, now()) + v.delay * interval '1 microsecond', v.input::json, v.digest
FROM unnest($5::text[], $6::timestamptz[], $7::bigint[], $8::text[], $9::bytea[]) AS v(run_id, scheduled_at, delay, input, digest)`

// once adds a step once per run and node, for keys and for steps that enqueue others. The same input again adds nothing;
// another input tries to set an empty digest, which the table's check refuses.
const once = `
ON CONFLICT (run_id, node) DO UPDATE SET input_digest = '' WHERE s.input_digest <> EXCLUDED.input_digest`

const sqlInsert = sqlInsertNew + once

// sqlInsertMany returns the runs that were not there.
const sqlInsertMany = sqlInsertManyNew + once + `
RETURNING run_id`

const sqlDigests = `SELECT s.run_id, s.input_digest FROM unnest($2::text[]) AS v(run_id)
JOIN "idem".steps s ON s.run_id = v.run_id AND s.node = $1::text`

// sqlClaim takes up to $5 due steps of a queue, from a place in their order on. Where they are comes through an array: as a
// join the generic plan reads the whole table, and with IN the limit may be applied more than once. A locked row stays where it
// is; one that was made due again since the statement began is left for the next claim, which that has announced.
const sqlClaim = claimed + `
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idem".steps
    WHERE state = 'pending' AND queue = $3::text AND scheduled_at <= now() AND node = ANY ($4::text[])
      AND (scheduled_at, id) >= ($6::timestamptz, $7::bigint)
    ORDER BY scheduled_at, id LIMIT $5::integer FOR UPDATE SKIP LOCKED))` + asClaimed

// sqlClaimThese takes those of some steps that are due still. Their rows are looked up before their state: together they tempt
// the planner to read the index of all pending steps.
const sqlClaimThese = claimed + `
WHERE ctid = ANY (ARRAY(
    WITH these AS MATERIALIZED (SELECT ctid FROM "idem".steps WHERE id = ANY ($5::bigint[]))
    SELECT ctid FROM "idem".steps
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM these))
      AND state = 'pending' AND queue = $3::text AND scheduled_at <= now() AND node = ANY ($4::text[])
    FOR UPDATE SKIP LOCKED))` + asClaimed

const (
	claimed = `UPDATE "idem".steps
SET state = 'running', epoch = epoch + 1, worker = $1::text,
    lease_expires_at = clock_timestamp() + $2::bigint * interval '1 microsecond'`

	asClaimed = `
RETURNING id, run_id, node, epoch, attempt, reclaims, interruptions, max_attempts, input, scheduled_at`
)

// sqlBehind gives up to $6 due steps from the time $3 on and before the place ($4, $5).
const sqlBehind = `SELECT id FROM "idem".steps
WHERE state = 'pending' AND queue = $1::text AND scheduled_at <= now() AND node = ANY ($2::text[])
  AND scheduled_at >= $3::timestamptz AND (scheduled_at, id) < ($4::timestamptz, $5::bigint)
ORDER BY scheduled_at, id LIMIT $6::integer`

// sqlInput gives the input of a step that is still held.
const sqlInput = `SELECT input FROM "idem".steps WHERE id = $1::bigint AND epoch = $2::bigint`

// sqlExpired gives the first lease from $1 on that has run out, or for NULL in the last $2 microseconds, and when it looked.
const sqlExpired = `SELECT ` + firstExpired + `, now()`

// sqlDue is sqlExpired, and gives the microseconds until the queue's next step is due, or NULL. It asks for the first step in
// the order of an index: of EXISTS the planner believes that the table's next rows will do, and reads all those that are
// completed.
const sqlDue = `SELECT ` + firstExpired + `, now(),
    (SELECT (extract(epoch FROM scheduled_at - now()) * 1000000)::bigint FROM "idem".steps
    WHERE state = 'pending' AND queue = $3::text AND node = ANY ($4::text[])
    ORDER BY scheduled_at, id LIMIT 1)`

const firstExpired = `(SELECT lease_expires_at FROM "idem".steps
    WHERE state = 'running' AND lease_expires_at < now()
      AND lease_expires_at >= COALESCE($1::timestamptz, now() - $2::bigint * interval '1 microsecond')
    ORDER BY lease_expires_at, id LIMIT 1)`

// sqlComplete completes steps that are still held: the epoch is the fence. If one is not, the statement
// fails, and with it everything that was written before it. It does not ask for the state, on purpose: an
// epoch is held only by a running step, and the partial index on running steps would mislead the planner.
const sqlComplete = `WITH done AS (
    UPDATE "idem".steps s
    SET state = 'completed', reason = NULL, epoch = s.epoch + 1, output = v.output::json, error = NULL,
        lease_expires_at = NULL, finished_at = clock_timestamp()
    FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS v(id, epoch, output)
    WHERE s.id = v.id AND s.epoch = v.epoch
    RETURNING 1)
SELECT CASE WHEN count(*) = cardinality($1::bigint[]) THEN count(*)
       ELSE "idem".lease_lost(count(*), cardinality($1::bigint[])) END
FROM done`

// sqlCompleteOne is sqlComplete for one step, which costs the server a tenth less.
const sqlCompleteOne = `WITH done AS (
    UPDATE "idem".steps
    SET state = 'completed', reason = NULL, epoch = epoch + 1, output = $3::json, error = NULL,
        lease_expires_at = NULL, finished_at = clock_timestamp()
    WHERE id = $1::bigint AND epoch = $2::bigint
    RETURNING 1)
SELECT CASE WHEN count(*) = 1 THEN 1 ELSE "idem".lease_lost(count(*), 1) END
FROM done`

// sqlSettle ends an execution that did not complete its step, if the step is still held, and says so in
// the events.
const sqlSettle = `WITH settled AS (
    UPDATE "idem".steps
    SET state = $3::text, reason = $4::text, epoch = epoch + 1,
        attempt = attempt + $5::integer,
        interruptions = CASE WHEN $5::integer > 0 THEN 0 ELSE interruptions + $6::integer END,
        scheduled_at = now() + $7::bigint * interval '1 microsecond',
        error = $8::text, lease_expires_at = NULL, worker = NULL,
        finished_at = CASE WHEN $3::text = 'pending' THEN NULL ELSE clock_timestamp() END
    WHERE id = $1::bigint AND epoch = $2::bigint
    RETURNING id, epoch, reclaims)
INSERT INTO "idem".step_events (step_id, epoch, attempt, reclaims, event, reason, worker, error)
SELECT id, epoch, $9::integer, reclaims, $10::text, $11::text, $12::text, $8::text FROM settled`

// sqlHeartbeat renews leases and returns the steps that are still held. A row that is locked, by its own
// completion or by somebody else, is passed over this time and counts as held: one lock must not cost the
// leases of all others.
const sqlHeartbeat = `WITH held AS MATERIALIZED (
    SELECT s.id FROM unnest($1::bigint[], $2::bigint[]) AS v(id, epoch)
    JOIN "idem".steps s ON s.id = v.id AND s.epoch = v.epoch),
free AS MATERIALIZED (
    SELECT s.id FROM unnest($1::bigint[], $2::bigint[]) AS v(id, epoch)
    JOIN "idem".steps s ON s.id = v.id AND s.epoch = v.epoch
    ORDER BY s.id FOR UPDATE OF s SKIP LOCKED),
renewed AS (
    UPDATE "idem".steps s
    SET lease_expires_at = clock_timestamp() + $3::bigint * interval '1 microsecond'
    FROM free WHERE s.id = free.id)
SELECT id FROM held`

// sqlSweep takes steps back whose lease has run out. The attempt stays, and so does the place in the queue: what
// was enqueued since does not delay a recovery. Past max_reclaims the step is discarded. A step that somebody is completing
// at the moment is locked and passed over. Leases that ran out before $2 are not looked at.
const sqlSweep = `WITH expired AS MATERIALIZED (
    SELECT id, worker, reclaims >= max_reclaims AS give_up FROM "idem".steps
    WHERE state = 'running' AND lease_expires_at >= $2::timestamptz AND lease_expires_at < now()
    ORDER BY lease_expires_at, id LIMIT $1::integer FOR UPDATE SKIP LOCKED),
swept AS (
    UPDATE "idem".steps s
    SET state = CASE WHEN e.give_up THEN 'discarded' ELSE 'pending' END,
        reason = CASE WHEN e.give_up THEN 'reclaim_limit' ELSE 'lease_expired' END,
        epoch = s.epoch + 1,
        reclaims = CASE WHEN e.give_up THEN s.reclaims ELSE s.reclaims + 1 END,
        scheduled_at = LEAST(s.scheduled_at, now()), lease_expires_at = NULL, worker = NULL,
        finished_at = CASE WHEN e.give_up THEN clock_timestamp() END
    FROM (SELECT id, worker, COALESCE(give_up, false) AS give_up FROM expired) e
    WHERE s.id = e.id
    RETURNING s.id, s.run_id, s.node, s.queue, s.epoch, s.attempt, s.reclaims, s.state, s.reason, e.worker),
noted AS (
    INSERT INTO "idem".step_events (step_id, epoch, attempt, reclaims, event, reason, worker)
    SELECT id, epoch, attempt, reclaims, CASE WHEN state = 'discarded' THEN 'discarded' ELSE 'reclaimed' END, reason, worker
    FROM swept)
SELECT id, run_id, node, queue, attempt, reclaims, state, reason FROM swept`

// sqlRetire looks at the $2 steps after id $1 and removes those that ended longer ago than $3 microseconds if they were
// completed, than $4 if not; 0 is for ever. What is judged is the row as it is locked: a retry may have come first, and
// what that moved is not removed.
const sqlRetire = `WITH page AS MATERIALIZED (
    SELECT id, ctid, created_at FROM "idem".steps WHERE id > $1::bigint ORDER BY id LIMIT $2::integer),
over AS MATERIALIZED (
    SELECT ctid FROM "idem".steps
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM page))
      AND (state = 'completed' AND $3::bigint > 0 AND finished_at < now() - $3::bigint * interval '1 microsecond'
        OR state IN ('discarded', 'cancelled') AND $4::bigint > 0 AND finished_at < now() - $4::bigint * interval '1 microsecond')
    FOR UPDATE SKIP LOCKED),
gone AS (
    DELETE FROM "idem".steps WHERE ctid = ANY (ARRAY(SELECT ctid FROM over)) RETURNING 1)
SELECT COALESCE(max(id), $1::bigint), count(*), (SELECT count(*) FROM gone),
       COALESCE(max(created_at) >= now() - LEAST(NULLIF($3::bigint, 0), NULLIF($4::bigint, 0)) * interval '1 microsecond', true)
FROM page`

const sqlReadBack = `SELECT state, epoch FROM "idem".steps WHERE id = $1::bigint`

const sqlStatus = `SELECT run_id, node, queue, state, COALESCE(reason, ''), attempt, reclaims, COALESCE(error, ''), output, scheduled_at, finished_at
FROM "idem".steps WHERE run_id = $1::text AND ($2::text IS NULL OR node = $2::text) ORDER BY id`

const sqlCancel = `WITH cancelled AS (
    UPDATE "idem".steps
    SET state = 'cancelled', reason = 'cancelled', epoch = epoch + 1, lease_expires_at = NULL, finished_at = clock_timestamp()
    WHERE run_id = $1::text AND ($2::text IS NULL OR node = $2::text) AND state IN ('pending', 'running')
    RETURNING id, epoch, attempt, reclaims, worker)
INSERT INTO "idem".step_events (step_id, epoch, attempt, reclaims, event, reason, worker)
SELECT id, epoch, attempt, reclaims, 'cancelled', 'cancelled', worker FROM cancelled`

// sqlRetry lets a discarded step run again, under the keys that it had.
const sqlRetry = `UPDATE "idem".steps
SET state = 'pending', epoch = epoch + 1, attempt = attempt + 1, reclaims = 0, interruptions = 0,
    max_attempts = GREATEST(max_attempts, attempt + 1), scheduled_at = now(), finished_at = NULL
WHERE run_id = $1::text AND ($2::text IS NULL OR node = $2::text) AND state = 'discarded'
RETURNING queue`

// sqlWake lets pending steps run now. Nobody holds them, so that their epoch may stay. The run is looked up before the
// state: together they tempt the planner to read the index of all pending steps.
const sqlWake = `WITH run AS MATERIALIZED (
    SELECT id, state FROM "idem".steps
    WHERE run_id = $1::text AND ($2::text IS NULL OR node = $2::text) FOR UPDATE)
UPDATE "idem".steps s SET scheduled_at = now()
FROM run WHERE s.id = run.id AND run.state = 'pending'
RETURNING s.queue`

const sqlVersion = `SELECT "idem".schema_version()`
