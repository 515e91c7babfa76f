package faulttest

import (
	"context"
	"time"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/provider"
)

// webhook is a command, as the generator makes them.
type webhook struct {
	URL, Kind string
	Payload   []byte
}

var webhooks = outbox.Table{
	Effect: idemimpl.Effect{
		Table: `"webhooks"`, Columns: []string{"command_id", "url", "kind", "payload"}, Guard: "webhooks_payload_check",
		InsertSQL: `INSERT INTO "webhooks" AS t ("run_id", "node", "payload_digest", "command_id", "url", "kind", "payload")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::text, $7::bytea)
ON CONFLICT ("command_id") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	},
	Item: []int{2}, Destinations: true,
	ClaimSQL: `WITH RECURSIVE destinations AS (
    (SELECT "url" AS destination FROM "webhooks" WHERE "state" = 'pending' AND "url" >= @after::text ORDER BY "url" LIMIT 1)
    UNION ALL
    SELECT (SELECT o."url" FROM "webhooks" o WHERE o."state" = 'pending' AND o."url" > d.destination ORDER BY o."url" LIMIT 1)
    FROM destinations d WHERE d.destination IS NOT NULL),
due AS MATERIALIZED (
    SELECT c.ctid FROM destinations d
    LEFT JOIN unnest(@destinations::text[], @rooms::integer[]) AS r(destination, room) ON r.destination = d.destination
    CROSS JOIN LATERAL (
        SELECT o.ctid FROM "webhooks" o
        WHERE o."state" = 'pending' AND o."url" = d.destination AND o."next_attempt_at" <= now()
          AND (o."claim_expires_at" IS NULL OR o."claim_expires_at" <= now())
        ORDER BY o."next_attempt_at" LIMIT COALESCE(r.room, @share::integer) FOR UPDATE SKIP LOCKED) c
    LIMIT @limit::integer)
UPDATE "webhooks" o SET "claim_epoch" = o."claim_epoch" + 1, "attempts" = o."attempts" + 1,
    "first_attempt_at" = COALESCE(o."first_attempt_at", clock_timestamp()),
    "claim_expires_at" = clock_timestamp() + @lease::bigint * interval '1 microsecond'
WHERE o.ctid = ANY (ARRAY(SELECT due.ctid FROM due))
RETURNING o."command_id", o."run_id", o."node", o."claim_epoch", o."attempts",
    (extract(epoch FROM clock_timestamp() - o."first_attempt_at") * 1000000)::bigint, o."created_at", o."url", '', o."payload"`,
}

func queueWebhook(ctx runtime.Context, w webhook) error {
	return webhooks.Queue(ctx, w.URL, w.Kind, w.Payload)
}

// paid is a provider's receipt.
type paid struct {
	ID     string
	Cents  int64
	At     time.Time
	Status *string
}

// realPay and its like are the functions of providers that no test may reach.
func realPay(context.Context, string, order) (paid, error) { panic("the real provider was reached") }
func realFind(context.Context, string) (paid, bool, error) { panic("the real provider was reached") }
func realUndo(context.Context, string, paid) error         { panic("the real provider was reached") }

func definePay(opts ...provider.Option) *provider.Provider[order, paid] {
	return provider.Define("pay", realPay, opts...)
}

// ways are the providers that there are.
var ways = map[string]*provider.Provider[order, paid]{
	"window": definePay(provider.WithWindow(24*time.Hour), provider.WithUndo(realUndo)),
	"lookup": definePay(provider.WithLookup(realFind)),
	"both":   definePay(provider.WithWindow(24*time.Hour), provider.WithLookup(realFind), provider.WithUndo(realUndo)),
	"none":   definePay(provider.WithUndo(realUndo)),
}
