package outbox_test

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/outbox"
)

// This file is what the generator has to write for the struct below, complete: the migration, the descriptor, the
// functions that queue, and the relay's constructor.

// Webhook is a command to a customer's receiver.
//
//	//idem:outbox table=webhook_outbox to=URL order_by=Customer item=Kind body=Payload
type Webhook struct {
	URL, Customer, Kind string
	Payload             []byte
}

// webhookMigration is migrations/0000N_idem_webhook_outbox.sql.
//
// Without order_by= there is no seq, and the index is ("url", "next_attempt_at") with to=, else ("next_attempt_at").
const webhookMigration = `
-- webhook_outbox holds commands that leave the database: idem writes each with its step's completion, and a relay sends
-- it afterwards, under its command_id.
CREATE TABLE "webhook_outbox" (
    "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    "command_id" text COLLATE "C" NOT NULL,
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "webhook_outbox_payload_check" CHECK (octet_length("payload_digest") = 32),
    "url" text COLLATE "C" NOT NULL,
    "customer" text COLLATE "C" NOT NULL,
    "kind" text COLLATE "C" NOT NULL,
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
    CONSTRAINT "webhook_outbox_idem_key" PRIMARY KEY ("command_id"),
    CONSTRAINT "webhook_outbox_state_check" CHECK ("state" IN ('pending', 'delivered', 'rejected', 'dead', 'quarantined', 'parked')),
    CONSTRAINT "webhook_outbox_finished_check" CHECK (("state" = 'pending') = ("finished_at" IS NULL)),
    CONSTRAINT "webhook_outbox_claim_check" CHECK ("claim_expires_at" IS NULL OR "state" = 'pending'),
    CONSTRAINT "webhook_outbox_receipt_check" CHECK ("state" <> 'delivered' OR "receipt" IS NOT NULL)
) WITH (
    fillfactor = 45, -- a claimed row stays in its page, and the indexes as they are
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 1
);

-- What relays look for.
CREATE INDEX "webhook_outbox_pending_idx" ON "webhook_outbox" ("customer", "seq") WHERE "state" = 'pending';

-- What retention removes.
CREATE INDEX "webhook_outbox_finished_idx" ON "webhook_outbox" ("finished_at") WHERE "state" IN ('delivered', 'rejected');
`

// webhookOutbox describes "webhook_outbox": one command per run, node and kind, in order per customer.
//
// A second command under the same id with the same payload changes nothing; one with another payload sets an empty
// digest, which the table's check refuses, so that the whole completion rolls back.
var webhookOutbox = outbox.Table{
	Effect: idemimpl.Effect{
		Table:   `"webhook_outbox"`,
		Columns: []string{"command_id", "url", "customer", "kind", "payload"},
		Guard:   "webhook_outbox_payload_check",
		InsertSQL: `INSERT INTO "webhook_outbox" AS t ("run_id", "node", "payload_digest", "command_id", "url", "customer", "kind", "payload")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::text, $7::text, $8::bytea)
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
		GroupSQL: `INSERT INTO "webhook_outbox" AS t ("run_id", "node", "payload_digest", "command_id", "url", "customer", "kind", "payload")
SELECT v."run_id", v."node", v."payload_digest", v."command_id", v."url", v."customer", v."kind", v."payload"
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[])
  AS v ("run_id", "node", "payload_digest", "command_id", "url", "customer", "kind", "payload")
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	},
	Item:         []int{3},
	Destinations: true,
	Ordered:      true,
	ClaimSQL: `WITH RECURSIVE keys AS (
    (SELECT "customer" AS key FROM "webhook_outbox"
     WHERE "state" = 'pending' AND "customer" >= @after::text ORDER BY "customer" LIMIT 1)
    UNION ALL
    SELECT (SELECT o."customer" FROM "webhook_outbox" o
            WHERE o."state" = 'pending' AND o."customer" > keys.key ORDER BY o."customer" LIMIT 1)
    FROM keys WHERE keys.key IS NOT NULL),
heads AS MATERIALIZED (
    SELECT h.ctid FROM keys
    CROSS JOIN LATERAL (
        SELECT o.ctid, o."next_attempt_at", o."claim_expires_at", o."url" FROM "webhook_outbox" o
        WHERE o."state" = 'pending' AND o."customer" = keys.key ORDER BY o."seq" LIMIT 1) h
    WHERE h."next_attempt_at" <= now() AND (h."claim_expires_at" IS NULL OR h."claim_expires_at" <= now())
      AND h."url" NOT IN (
        SELECT r.destination FROM unnest(@destinations::text[], @rooms::integer[]) AS r(destination, room) WHERE r.room <= 0)
    LIMIT @limit::integer)
UPDATE "webhook_outbox" o SET
    "claim_epoch" = o."claim_epoch" + 1,
    "attempts" = o."attempts" + 1,
    "first_attempt_at" = COALESCE(o."first_attempt_at", clock_timestamp()),
    "claim_expires_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond'
WHERE o.ctid = ANY (ARRAY(
    SELECT c.ctid FROM "webhook_outbox" c
    WHERE c.ctid = ANY (ARRAY(SELECT heads.ctid FROM heads))
      AND c."state" = 'pending' AND c."next_attempt_at" <= now() AND (c."claim_expires_at" IS NULL OR c."claim_expires_at" <= now())
    FOR UPDATE SKIP LOCKED))
RETURNING o."command_id", o."run_id", o."node", o."claim_epoch", o."attempts",
    (extract(epoch FROM clock_timestamp() - o."first_attempt_at") * 1000000)::bigint, o."created_at",
    o."url", o."customer", o."payload"`,
}

// QueueWebhook keeps the command and writes it in the transaction that completes the step: both commit, or neither. A
// relay sends it afterwards.
func QueueWebhook(ctx runtime.Context, row Webhook) error {
	return webhookOutbox.Queue(ctx, row.URL, row.Customer, row.Kind, row.Payload)
}

// QueueWebhookTx writes the command in tx, for code that runs outside of any step. The same key gives the same command.
func QueueWebhookTx(ctx context.Context, tx outbox.DB, key string, row Webhook) error {
	return webhookOutbox.QueueTx(ctx, tx, key, row.URL, row.Customer, row.Kind, row.Payload)
}

// NewWebhookRelay makes a relay that sends the commands of "webhook_outbox" by sender.
func NewWebhookRelay(pool *pgxpool.Pool, sender outbox.Sender, cfg outbox.Config) (*outbox.Relay, error) {
	return outbox.NewRelay(pool, &webhookOutbox, sender, cfg)
}
