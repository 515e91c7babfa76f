package store

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

// sqlBehind returns up to $6 due steps from the time $3 on and before the place ($4, $5).
const sqlBehind = `SELECT id FROM "idem".steps
WHERE state = 'pending' AND queue = $1::text AND scheduled_at <= now() AND node = ANY ($2::text[])
  AND scheduled_at >= $3::timestamptz AND (scheduled_at, id) < ($4::timestamptz, $5::bigint)
ORDER BY scheduled_at, id LIMIT $6::integer`

// sqlInput returns the input of a step that is still held.
const sqlInput = `SELECT input FROM "idem".steps WHERE id = $1::bigint AND epoch = $2::bigint`

// sqlDue is sqlExpired, and returns the microseconds until the queue's next step is due, or NULL. It asks for the first step in
// the order of an index: of EXISTS the planner believes that the table's next rows will do, and reads all those that are
// completed.
const sqlDue = `SELECT ` + firstExpired + `, now(),
    (SELECT (extract(epoch FROM scheduled_at - now()) * 1000000)::bigint FROM "idem".steps
    WHERE state = 'pending' AND queue = $3::text AND node = ANY ($4::text[])
    ORDER BY scheduled_at, id LIMIT 1)`
