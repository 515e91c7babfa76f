-- commands holds commands that leave the database: idem writes each with its step's completion, and a relay sends
-- it afterwards, under its command_id.
CREATE TABLE "commands" (
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
    fillfactor = 45, -- a claimed row stays in its page, and the indexes as they are
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 1
);

-- What relays look for.
CREATE INDEX "commands_pending_idx" ON "commands" ("url", "next_attempt_at") WHERE "state" = 'pending';

-- What retention removes.
CREATE INDEX "commands_finished_idx" ON "commands" ("finished_at") WHERE "state" IN ('delivered', 'rejected');
