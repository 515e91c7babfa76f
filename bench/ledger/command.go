package ledger

import (
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
)

// This file is what is generated for
//
//	//idem:outbox table=commands to=URL body=Payload
//	type Command struct {
//		URL     string
//		Payload []byte
//	}
//
// save that nothing here queues commands.

// CommandTable is the migration.
const CommandTable = `CREATE TABLE "commands" (
    "command_id" text COLLATE "C" NOT NULL,
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "commands_payload_check" CHECK (octet_length("payload_digest") = 32),
    "url" text COLLATE "C" NOT NULL,
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
    CONSTRAINT "commands_idem_key" PRIMARY KEY ("command_id"),
    CONSTRAINT "commands_state_check" CHECK ("state" IN ('pending', 'delivered', 'rejected', 'dead', 'quarantined', 'parked')),
    CONSTRAINT "commands_finished_check" CHECK (("state" = 'pending') = ("finished_at" IS NULL)),
    CONSTRAINT "commands_claim_check" CHECK ("claim_expires_at" IS NULL OR "state" = 'pending'),
    CONSTRAINT "commands_receipt_check" CHECK ("state" <> 'delivered' OR "receipt" IS NOT NULL)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 1
);
CREATE INDEX "commands_pending_idx" ON "commands" ("url", "next_attempt_at") WHERE "state" = 'pending';
CREATE INDEX "commands_finished_idx" ON "commands" ("finished_at") WHERE "state" IN ('delivered', 'rejected');`

var commandOutbox = outbox.Table{
	Effect: runtime.Effect{
		Table:   `"commands"`,
		Columns: []string{"command_id", "url", "payload"},
		Guard:   "commands_payload_check",
		InsertSQL: `INSERT INTO "commands" AS t ("run_id", "node", "payload_digest", "command_id", "url", "payload")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::bytea)
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	},
	Destinations: true,
	ClaimSQL: `WITH RECURSIVE destinations AS (
    (SELECT "url" AS destination FROM "commands"
     WHERE "state" = 'pending' AND "url" >= @after::text ORDER BY "url" LIMIT 1)
    UNION ALL
    SELECT (SELECT o."url" FROM "commands" o
            WHERE o."state" = 'pending' AND o."url" > d.destination ORDER BY o."url" LIMIT 1)
    FROM destinations d WHERE d.destination IS NOT NULL),
due AS MATERIALIZED (
    SELECT c."command_id" FROM destinations d
    LEFT JOIN unnest(@destinations::text[], @rooms::integer[]) AS r(destination, room) ON r.destination = d.destination
    CROSS JOIN LATERAL (
        SELECT o."command_id" FROM "commands" o
        WHERE o."state" = 'pending' AND o."url" = d.destination AND o."next_attempt_at" <= now()
        ORDER BY o."next_attempt_at" LIMIT COALESCE(r.room, @share::integer) FOR UPDATE SKIP LOCKED) c
    LIMIT @limit::integer)
UPDATE "commands" o SET
    "claim_epoch" = o."claim_epoch" + 1,
    "attempts" = o."attempts" + 1,
    "first_attempt_at" = COALESCE(o."first_attempt_at", clock_timestamp()),
    "next_attempt_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond',
    "claim_expires_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond'
WHERE o."command_id" = ANY (ARRAY(SELECT due."command_id" FROM due))
RETURNING o."command_id", o."run_id", o."node", o."claim_epoch", o."attempts",
    (extract(epoch FROM clock_timestamp() - o."first_attempt_at") * 1000000)::bigint, o."created_at",
    o."url", '', o."payload"`,
}

// NewCommandRelay makes a relay that sends the commands by sender.
func NewCommandRelay(pool *pgxpool.Pool, sender outbox.Sender, cfg outbox.Config) (*outbox.Relay, error) {
	return outbox.NewRelay(pool, &commandOutbox, sender, cfg)
}
