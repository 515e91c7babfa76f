package store

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
