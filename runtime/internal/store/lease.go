package store

// sqlExpired returns the first lease from $1 on that has run out, or for NULL in the last $2 microseconds, and when it looked.
const sqlExpired = `SELECT ` + firstExpired + `, now()`

const firstExpired = `(SELECT lease_expires_at FROM "idem".steps
    WHERE state = 'running' AND lease_expires_at < now()
      AND lease_expires_at >= COALESCE($1::timestamptz, now() - $2::bigint * interval '1 microsecond')
    ORDER BY lease_expires_at, id LIMIT 1)`

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
