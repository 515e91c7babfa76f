package store

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
