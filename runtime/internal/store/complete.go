package store

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

const sqlReadBack = `SELECT state, epoch FROM "idem".steps WHERE id = $1::bigint`
