package relay

import (
	"fmt"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
)

// message is what a command says, and all that the receiver goes by.
type message struct {
	Who string `json:"who"` // the number of its step and its place in it
	// Key and Position are those of a command whose order is kept: the transactions of a key's commands lock the key,
	// so they commit in the order of the positions.
	Key      string `json:"key,omitempty"`
	Position int64  `json:"position,omitempty"`
}

// Each step queues as many commands, of which the last ones are kept in order.
const (
	perStep = 5
	ordered = 2
)

func who(step int64, item int) string { return fmt.Sprintf("%d-%d", step, item) }

// The tables are what the generator writes for
//
//	//idem:outbox table=notices to=Destination item=Item
//	type notice struct { Destination string; Item int; message }
//
//	//idem:outbox table=changes to=Destination order_by=Key item=Item
//	type change struct { Destination, Key string; Item int; message }
var noticeOutbox = outbox.Table{
	Effect: runtime.Effect{
		Table:   `"notices"`,
		Columns: []string{"command_id", "destination", "item", "body"},
		Guard:   "notices_payload_check",
		InsertSQL: `INSERT INTO "notices" AS t ("run_id", "node", "payload_digest", "command_id", "destination", "item", "body")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::bigint, $7::bytea)
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	},
	Item:         []int{2},
	Destinations: true,
	ClaimSQL: `WITH RECURSIVE destinations AS (
    (SELECT "destination" AS destination FROM "notices"
     WHERE "state" = 'pending' AND "destination" >= @after::text ORDER BY "destination" LIMIT 1)
    UNION ALL
    SELECT (SELECT o."destination" FROM "notices" o
            WHERE o."state" = 'pending' AND o."destination" > d.destination ORDER BY o."destination" LIMIT 1)
    FROM destinations d WHERE d.destination IS NOT NULL),
due AS MATERIALIZED (
    SELECT c.ctid FROM destinations d
    LEFT JOIN unnest(@destinations::text[], @rooms::integer[]) AS r(destination, room) ON r.destination = d.destination
    CROSS JOIN LATERAL (
        SELECT o.ctid FROM "notices" o
        WHERE o."state" = 'pending' AND o."destination" = d.destination AND o."next_attempt_at" <= now()
          AND (o."claim_expires_at" IS NULL OR o."claim_expires_at" <= now())
        ORDER BY o."next_attempt_at" LIMIT COALESCE(r.room, @share::integer) FOR UPDATE SKIP LOCKED) c
    LIMIT @limit::integer)
UPDATE "notices" o SET
    "claim_epoch" = o."claim_epoch" + 1,
    "attempts" = o."attempts" + 1,
    "first_attempt_at" = COALESCE(o."first_attempt_at", clock_timestamp()),
    "claim_expires_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond'
WHERE o.ctid = ANY (ARRAY(SELECT due.ctid FROM due))
RETURNING o."command_id", o."run_id", o."node", o."claim_epoch", o."attempts",
    (extract(epoch FROM clock_timestamp() - o."first_attempt_at") * 1000000)::bigint, o."created_at",
    o."destination", '', o."body"`,
}

var changeOutbox = outbox.Table{
	Effect: runtime.Effect{
		Table:   `"changes"`,
		Columns: []string{"command_id", "destination", "key", "item", "body"},
		Guard:   "changes_payload_check",
		InsertSQL: `INSERT INTO "changes" AS t ("run_id", "node", "payload_digest", "command_id", "destination", "key", "item", "body")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::text, $7::bigint, $8::bytea)
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	},
	Item:         []int{3},
	Destinations: true,
	Ordered:      true,
	ClaimSQL: `WITH RECURSIVE keys AS (
    (SELECT "key" AS key FROM "changes"
     WHERE "state" = 'pending' AND "key" >= @after::text ORDER BY "key" LIMIT 1)
    UNION ALL
    SELECT (SELECT o."key" FROM "changes" o
            WHERE o."state" = 'pending' AND o."key" > keys.key ORDER BY o."key" LIMIT 1)
    FROM keys WHERE keys.key IS NOT NULL),
heads AS MATERIALIZED (
    SELECT h.ctid FROM keys
    CROSS JOIN LATERAL (
        SELECT o.ctid, o."next_attempt_at", o."claim_expires_at", o."destination" FROM "changes" o
        WHERE o."state" = 'pending' AND o."key" = keys.key ORDER BY o."seq" LIMIT 1) h
    WHERE h."next_attempt_at" <= now() AND (h."claim_expires_at" IS NULL OR h."claim_expires_at" <= now())
      AND h."destination" NOT IN (
        SELECT r.destination FROM unnest(@destinations::text[], @rooms::integer[]) AS r(destination, room) WHERE r.room <= 0)
    LIMIT @limit::integer)
UPDATE "changes" o SET
    "claim_epoch" = o."claim_epoch" + 1,
    "attempts" = o."attempts" + 1,
    "first_attempt_at" = COALESCE(o."first_attempt_at", clock_timestamp()),
    "claim_expires_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond'
WHERE o.ctid = ANY (ARRAY(
    SELECT c.ctid FROM "changes" c
    WHERE c.ctid = ANY (ARRAY(SELECT heads.ctid FROM heads))
      AND c."state" = 'pending' AND c."next_attempt_at" <= now() AND (c."claim_expires_at" IS NULL OR c."claim_expires_at" <= now())
    FOR UPDATE SKIP LOCKED))
RETURNING o."command_id", o."run_id", o."node", o."claim_epoch", o."attempts",
    (extract(epoch FROM clock_timestamp() - o."first_attempt_at") * 1000000)::bigint, o."created_at",
    o."destination", o."key", o."body"`,
}

func queueNotice(ctx runtime.Context, to string, item int, m message) error {
	body, err := outbox.JSON(m)
	if err != nil {
		return err
	}
	return noticeOutbox.Queue(ctx, to, item, body)
}

func queueChange(ctx runtime.Context, to string, item int, m message) error {
	body, err := outbox.JSON(m)
	if err != nil {
		return err
	}
	return changeOutbox.Queue(ctx, to, m.Key, item, body)
}

// tables are those that a relay process has a relay for.
var tables = []*outbox.Table{&noticeOutbox, &changeOutbox}
