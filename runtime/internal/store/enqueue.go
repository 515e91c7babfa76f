package store

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
