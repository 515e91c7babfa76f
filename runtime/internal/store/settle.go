package store

// sqlSettle ends an execution that did not complete its step, if the step is still held, and says so in
// the events: with the attempt ($9) and the reclaims ($13) that it had. What is counted of an attempt begins anew with the next
// one.
const sqlSettle = `WITH settled AS (
    UPDATE "idem".steps
    SET state = $3::text, reason = $4::text, epoch = epoch + 1,
        attempt = attempt + $5::integer,
        interruptions = CASE WHEN $5::integer > 0 THEN 0 ELSE interruptions + $6::integer END,
        reclaims = CASE WHEN $5::integer > 0 THEN 0 ELSE reclaims END,
        scheduled_at = now() + $7::bigint * interval '1 microsecond',
        error = $8::text, lease_expires_at = NULL, worker = NULL,
        finished_at = CASE WHEN $3::text = 'pending' THEN NULL ELSE clock_timestamp() END
    WHERE id = $1::bigint AND epoch = $2::bigint
    RETURNING id, epoch)
INSERT INTO "idem".step_events (step_id, epoch, attempt, reclaims, event, reason, worker, error)
SELECT id, epoch, $9::integer, $13::integer, $10::text, $11::text, $12::text, $8::text FROM settled`
