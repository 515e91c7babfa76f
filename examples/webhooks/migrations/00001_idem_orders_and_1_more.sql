-- orders holds one row per run and node; idem writes it with the step's completion.
CREATE TABLE "orders" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "orders_payload_check" CHECK (octet_length("payload_digest") = 32),
    "order_id" text NOT NULL,
    "customer" text NOT NULL,
    "total_cents" bigint NOT NULL,
    "placed_at" timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT "orders_idem_key" PRIMARY KEY ("run_id", "node")
);

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
    "body" bytea,
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
