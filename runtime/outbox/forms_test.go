package outbox_test

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/outbox"
)

// The two other forms of a table that the generator writes: with destinations and without order, whose row is sent as
// JSON; and with neither, whose body is a text.

// outboxTable makes a migration: columns are the author's, order is what the index of pending commands begins with.
func outboxTable(name, columns, order string) string {
	_, common, _ := strings.Cut(webhookMigration, `    "state" text COLLATE "C" NOT NULL DEFAULT`)
	common, _, _ = strings.Cut(common, `CREATE INDEX "webhook_outbox_pending_idx"`)
	return strings.ReplaceAll(`CREATE TABLE "webhook_outbox" (
    "command_id" text COLLATE "C" NOT NULL,
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "webhook_outbox_payload_check" CHECK (octet_length("payload_digest") = 32),
    `+columns+`,
    "state" text COLLATE "C" NOT NULL DEFAULT`+common+`CREATE INDEX "webhook_outbox_pending_idx" ON "webhook_outbox" (`+order+`) WHERE "state" = 'pending';
CREATE INDEX "webhook_outbox_finished_idx" ON "webhook_outbox" ("finished_at") WHERE "state" IN ('delivered', 'rejected');`, "webhook_outbox", name)
}

// Ping is a command without any order.
//
//	//idem:outbox table=pings to=URL item=N
type Ping struct {
	URL string `json:"url"`
	N   int    `json:"n"`
}

var pingMigration = outboxTable("pings", `"url" text COLLATE "C" NOT NULL, "n" bigint NOT NULL, "body" bytea NOT NULL`, `"url", "next_attempt_at"`)

var pingOutbox = outbox.Table{
	Effect: idemimpl.Effect{
		Table:   `"pings"`,
		Columns: []string{"command_id", "url", "n", "body"},
		Guard:   "pings_payload_check",
		InsertSQL: `INSERT INTO "pings" AS t ("run_id", "node", "payload_digest", "command_id", "url", "n", "body")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::bigint, $7::bytea)
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
		GroupSQL: `INSERT INTO "pings" AS t ("run_id", "node", "payload_digest", "command_id", "url", "n", "body")
SELECT v."run_id", v."node", v."payload_digest", v."command_id", v."url", v."n", v."body"
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::bigint[], $7::bytea[])
  AS v ("run_id", "node", "payload_digest", "command_id", "url", "n", "body")
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	},
	Item:         []int{2},
	Destinations: true,
	ClaimSQL: `WITH RECURSIVE destinations AS (
    (SELECT "url" AS destination FROM "pings"
     WHERE "state" = 'pending' AND "url" >= @after::text ORDER BY "url" LIMIT 1)
    UNION ALL
    SELECT (SELECT o."url" FROM "pings" o
            WHERE o."state" = 'pending' AND o."url" > d.destination ORDER BY o."url" LIMIT 1)
    FROM destinations d WHERE d.destination IS NOT NULL),
due AS MATERIALIZED (
    SELECT c.ctid FROM destinations d
    LEFT JOIN unnest(@destinations::text[], @rooms::integer[]) AS r(destination, room) ON r.destination = d.destination
    CROSS JOIN LATERAL (
        SELECT o.ctid FROM "pings" o
        WHERE o."state" = 'pending' AND o."url" = d.destination AND o."next_attempt_at" <= now()
          AND (o."claim_expires_at" IS NULL OR o."claim_expires_at" <= now())
        ORDER BY o."next_attempt_at" LIMIT COALESCE(r.room, @share::integer) FOR UPDATE SKIP LOCKED) c
    LIMIT @limit::integer)
UPDATE "pings" o SET
    "claim_epoch" = o."claim_epoch" + 1,
    "attempts" = o."attempts" + 1,
    "first_attempt_at" = COALESCE(o."first_attempt_at", clock_timestamp()),
    "claim_expires_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond'
WHERE o.ctid = ANY (ARRAY(SELECT due.ctid FROM due))
RETURNING o."command_id", o."run_id", o."node", o."claim_epoch", o."attempts",
    (extract(epoch FROM clock_timestamp() - o."first_attempt_at") * 1000000)::bigint, o."created_at",
    o."url", '', o."body"`,
}

func QueuePing(ctx runtime.Context, row Ping) error {
	body, err := outbox.JSON(row)
	if err != nil {
		return err
	}
	return pingOutbox.Queue(ctx, row.URL, row.N, body)
}

func QueuePingTx(ctx context.Context, tx outbox.DB, key string, row Ping) error {
	body, err := outbox.JSON(row)
	if err != nil {
		return err
	}
	return pingOutbox.QueueTx(ctx, tx, key, row.URL, row.N, body)
}

func NewPingRelay(pool *pgxpool.Pool, sender outbox.Sender, cfg outbox.Config) (*outbox.Relay, error) {
	return outbox.NewRelay(pool, &pingOutbox, sender, cfg)
}

// Note is a command to whom all of them go.
//
//	//idem:outbox table=notes body=Text
type Note struct{ Text string }

var noteMigration = outboxTable("notes", `"text" text NOT NULL`, `"next_attempt_at"`)

var noteOutbox = outbox.Table{
	Effect: idemimpl.Effect{
		Table:   `"notes"`,
		Columns: []string{"command_id", "text"},
		Guard:   "notes_payload_check",
		InsertSQL: `INSERT INTO "notes" AS t ("run_id", "node", "payload_digest", "command_id", "text")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text)
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
		GroupSQL: `INSERT INTO "notes" AS t ("run_id", "node", "payload_digest", "command_id", "text")
SELECT v."run_id", v."node", v."payload_digest", v."command_id", v."text"
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[])
  AS v ("run_id", "node", "payload_digest", "command_id", "text")
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = ''
WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	},
	ClaimSQL: `UPDATE "notes" o SET
    "claim_epoch" = o."claim_epoch" + 1,
    "attempts" = o."attempts" + 1,
    "first_attempt_at" = COALESCE(o."first_attempt_at", clock_timestamp()),
    "claim_expires_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond'
WHERE o.ctid = ANY (ARRAY(
    SELECT c.ctid FROM "notes" c
    WHERE c."state" = 'pending' AND c."next_attempt_at" <= now()
      AND (c."claim_expires_at" IS NULL OR c."claim_expires_at" <= now())
    ORDER BY c."next_attempt_at" LIMIT @limit::integer FOR UPDATE SKIP LOCKED))
RETURNING o."command_id", o."run_id", o."node", o."claim_epoch", o."attempts",
    (extract(epoch FROM clock_timestamp() - o."first_attempt_at") * 1000000)::bigint, o."created_at",
    '', '', convert_to(o."text", 'UTF8')`,
}

func QueueNote(ctx runtime.Context, row Note) error { return noteOutbox.Queue(ctx, row.Text) }

func QueueNoteTx(ctx context.Context, tx outbox.DB, key string, row Note) error {
	return noteOutbox.QueueTx(ctx, tx, key, row.Text)
}

func NewNoteRelay(pool *pgxpool.Pool, sender outbox.Sender, cfg outbox.Config) (*outbox.Relay, error) {
	return outbox.NewRelay(pool, &noteOutbox, sender, cfg)
}
