package watermillsender_test

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/outbox"
)

// Event is a command to a topic. What follows it is what the generator writes for it.
//
//	//idem:outbox table=events to=Topic order_by=Customer body=Payload
type Event struct {
	Topic, Customer string
	Payload         []byte
}

const eventsMigration = `
CREATE TABLE "events" (
    "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    "command_id" text COLLATE "C" NOT NULL,
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "events_payload_check" CHECK (octet_length("payload_digest") = 32),
    "topic" text COLLATE "C" NOT NULL,
    "customer" text COLLATE "C" NOT NULL,
    "payload" bytea,
    "state" text COLLATE "C" NOT NULL DEFAULT 'pending',
    "attempts" integer NOT NULL DEFAULT 0,
    "created_at" timestamptz NOT NULL DEFAULT now(),
    "first_attempt_at" timestamptz,
    "next_attempt_at" timestamptz NOT NULL DEFAULT now(),
    "claim_epoch" bigint NOT NULL DEFAULT 0,
    "claim_expires_at" timestamptz,
    "receipt" bytea,
    "receipt_digest" bytea,
    "last_error" text,
    "finished_at" timestamptz,
    CONSTRAINT "events_idem_key" PRIMARY KEY ("command_id"),
    CONSTRAINT "events_state_check" CHECK ("state" IN ('pending', 'delivered', 'rejected', 'dead', 'quarantined', 'parked')),
    CONSTRAINT "events_finished_check" CHECK (("state" = 'pending') = ("finished_at" IS NULL)),
    CONSTRAINT "events_claim_check" CHECK ("claim_expires_at" IS NULL OR "state" = 'pending'),
    CONSTRAINT "events_receipt_check" CHECK ("state" <> 'delivered' OR "receipt" IS NOT NULL)
);
CREATE INDEX "events_pending_idx" ON "events" ("customer", "seq") WHERE "state" = 'pending';
CREATE INDEX "events_finished_idx" ON "events" ("finished_at") WHERE "state" IN ('delivered', 'rejected');
`

var eventOutbox = outbox.Table{
	Effect: idemimpl.Effect{
		Table:   `"events"`,
		Columns: []string{"command_id", "topic", "customer", "payload"},
		Guard:   "events_payload_check",
		InsertSQL: `INSERT INTO "events" AS t ("run_id", "node", "payload_digest", "command_id", "topic", "customer", "payload")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::text, $7::bytea)
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	},
	Destinations: true,
	Ordered:      true,
	ClaimSQL: `WITH RECURSIVE keys AS (
    (SELECT "customer" AS key FROM "events"
     WHERE "state" = 'pending' AND "customer" >= @after::text ORDER BY "customer" LIMIT 1)
    UNION ALL
    SELECT (SELECT o."customer" FROM "events" o
            WHERE o."state" = 'pending' AND o."customer" > keys.key ORDER BY o."customer" LIMIT 1)
    FROM keys WHERE keys.key IS NOT NULL),
heads AS MATERIALIZED (
    SELECT h.ctid FROM keys
    CROSS JOIN LATERAL (
        SELECT o.ctid, o."next_attempt_at", o."claim_expires_at", o."topic" FROM "events" o
        WHERE o."state" = 'pending' AND o."customer" = keys.key ORDER BY o."seq" LIMIT 1) h
    WHERE h."next_attempt_at" <= now() AND (h."claim_expires_at" IS NULL OR h."claim_expires_at" <= now())
      AND h."topic" NOT IN (
        SELECT r.destination FROM unnest(@destinations::text[], @rooms::integer[]) AS r(destination, room) WHERE r.room <= 0)
    LIMIT @limit::integer)
UPDATE "events" o SET
    "claim_epoch" = o."claim_epoch" + 1,
    "attempts" = o."attempts" + 1,
    "first_attempt_at" = COALESCE(o."first_attempt_at", clock_timestamp()),
    "claim_expires_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond'
WHERE o.ctid = ANY (ARRAY(
    SELECT c.ctid FROM "events" c
    WHERE c.ctid = ANY (ARRAY(SELECT heads.ctid FROM heads))
      AND c."state" = 'pending' AND c."next_attempt_at" <= now() AND (c."claim_expires_at" IS NULL OR c."claim_expires_at" <= now())
    FOR UPDATE SKIP LOCKED))
RETURNING o."command_id", o."run_id", o."node", o."claim_epoch", o."attempts",
    (extract(epoch FROM clock_timestamp() - o."first_attempt_at") * 1000000)::bigint, o."created_at",
    o."topic", o."customer", o."payload"`,
}

func QueueEventTx(ctx context.Context, tx outbox.DB, key string, row Event) error {
	return eventOutbox.QueueTx(ctx, tx, key, row.Topic, row.Customer, row.Payload)
}

func NewEventRelay(pool *pgxpool.Pool, sender outbox.Sender, cfg outbox.Config) (*outbox.Relay, error) {
	return outbox.NewRelay(pool, &eventOutbox, sender, cfg)
}
