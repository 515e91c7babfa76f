package outbox

import "strings"

// statements are a relay's SQL texts for one table, apart from the claim, which knows the author's columns. In the
// constants below the table stands as "outbox", with its quotes.
type statements struct {
	mark, marked, backlog, purge, archive string
}

func newStatements(table, archive string) *statements {
	in := func(sql string) string {
		return strings.NewReplacer(`"outbox"`, table, `"archive"`, archive).Replace(sql)
	}
	return &statements{mark: in(sqlMark), marked: in(sqlMarked), backlog: in(sqlBacklog), purge: in(sqlPurge), archive: in(sqlArchive)}
}

// sqlMark records outcomes: for each command the state that follows, of which "pending" means another send. The fence
// is the epoch that the claim has set: a relay that lost its claim changes nothing. An unsent command gets its attempt
// back. It does not ask for the state, on purpose: only a pending command has that epoch, and the partial index of pending
// ones would tempt the planner to read all of them, in a backlog of any size.
const sqlMark = `UPDATE "outbox" o SET
    state = v.state,
    attempts = o.attempts - v.unsent,
    first_attempt_at = CASE WHEN o.attempts > v.unsent THEN o.first_attempt_at END,
    next_attempt_at = clock_timestamp() + v.delay * interval '1 microsecond',
    claim_epoch = o.claim_epoch + 1,
    claim_expires_at = NULL,
    receipt = v.receipt,
    receipt_digest = sha256(v.receipt),
    last_error = COALESCE(v.error, o.last_error),
    finished_at = CASE WHEN v.state <> 'pending' THEN clock_timestamp() END
FROM unnest(@ids::text[], @epochs::bigint[], @states::text[], @unsent::integer[], @delays::bigint[], @receipts::bytea[], @errors::text[])
       AS v(id, epoch, state, unsent, delay, receipt, error)
WHERE o.command_id = v.id AND o.claim_epoch = v.epoch`

// sqlMarked tells which outcomes are recorded after all, when fewer rows were marked than expected: the answer to an
// earlier try may have been lost.
const sqlMarked = `SELECT o.command_id FROM unnest(@ids::text[], @epochs::bigint[], @states::text[]) AS v(id, epoch, state)
JOIN "outbox" o ON o.command_id = v.id AND o.claim_epoch = v.epoch + 1 AND o.claim_expires_at IS NULL
WHERE o.state = v.state`

const sqlBacklog = `SELECT count(*), COALESCE((extract(epoch FROM clock_timestamp() - min(created_at)) * 1000000)::bigint, 0)
FROM "outbox" WHERE state = 'pending'`

// sqlPurge removes finished commands. Those that somebody still has to look at stay.
const sqlPurge = `DELETE FROM "outbox" WHERE command_id = ANY (ARRAY(
    SELECT command_id FROM "outbox"
    WHERE state IN ('delivered', 'rejected') AND finished_at < now() - @keep::bigint * interval '1 microsecond'
    ORDER BY finished_at LIMIT @limit::integer FOR UPDATE SKIP LOCKED))`

const sqlArchive = `WITH gone AS (` + sqlPurge + ` RETURNING *)
INSERT INTO "archive" SELECT * FROM gone`

// sqlReplay lets finished commands be sent again, and says so in the events. The epoch grows, so that no relay that
// still holds one can mark it.
const sqlReplay = `WITH before AS MATERIALIZED (
    SELECT command_id, state, last_error FROM "outbox"
    WHERE command_id = ANY (@ids::text[]) AND state <> 'pending'
      AND (state <> 'delivered' OR @delivered::boolean)
      AND (@window::bigint = 0 OR @past::boolean OR first_attempt_at IS NULL
           OR first_attempt_at > clock_timestamp() - @window::bigint * interval '1 microsecond')
    ORDER BY command_id FOR UPDATE),
replayed AS (
    UPDATE "outbox" o SET state = 'pending', attempts = 0, next_attempt_at = clock_timestamp(),
        first_attempt_at = CASE WHEN @past::boolean THEN NULL ELSE o.first_attempt_at END,
        claim_epoch = o.claim_epoch + 1, receipt = NULL, receipt_digest = NULL, finished_at = NULL
    FROM before WHERE o.command_id = before.command_id
    RETURNING o.command_id)
INSERT INTO "idem".outbox_events (outbox, command_id, event, actor, reason, state_before, error_before)
SELECT @table::text, before.command_id, 'replayed', @actor::text, @reason::text, before.state, before.last_error
FROM before JOIN replayed USING (command_id)
RETURNING command_id`
