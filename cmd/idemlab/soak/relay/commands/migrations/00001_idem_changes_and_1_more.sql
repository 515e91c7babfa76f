-- changes holds commands that leave the database: idem writes each with its step's completion, and a relay sends
-- it afterwards, under its command_id.
CREATE TABLE "changes" (
    "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    "command_id" text COLLATE "C" NOT NULL,
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "changes_payload_check" CHECK (octet_length("payload_digest") = 32),
    "destination" text COLLATE "C" NOT NULL,
    "item" bigint NOT NULL,
    "who" text NOT NULL,
    "key" text COLLATE "C" NOT NULL,
    "position" bigint NOT NULL,
    "body" bytea NOT NULL,
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
    CONSTRAINT "changes_idem_key" PRIMARY KEY ("command_id"),
    CONSTRAINT "changes_state_check" CHECK ("state" IN ('pending', 'delivered', 'rejected', 'dead', 'quarantined', 'parked')),
    CONSTRAINT "changes_finished_check" CHECK (("state" = 'pending') = ("finished_at" IS NULL)),
    CONSTRAINT "changes_claim_check" CHECK ("claim_expires_at" IS NULL OR "state" = 'pending'),
    CONSTRAINT "changes_receipt_check" CHECK ("state" <> 'delivered' OR "receipt" IS NOT NULL)
) WITH (
    fillfactor = 45, -- a claimed row stays in its page, and the indexes as they are
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 1
);

-- What relays look for.
CREATE INDEX "changes_pending_idx" ON "changes" ("key", "seq") WHERE "state" = 'pending';

-- What retention removes.
CREATE INDEX "changes_finished_idx" ON "changes" ("finished_at") WHERE "state" IN ('delivered', 'rejected');

-- notices holds commands that leave the database: idem writes each with its step's completion, and a relay sends
-- it afterwards, under its command_id.
CREATE TABLE "notices" (
    "command_id" text COLLATE "C" NOT NULL,
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "notices_payload_check" CHECK (octet_length("payload_digest") = 32),
    "destination" text COLLATE "C" NOT NULL,
    "item" bigint NOT NULL,
    "who" text NOT NULL,
    "body" bytea NOT NULL,
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
    CONSTRAINT "notices_idem_key" PRIMARY KEY ("command_id"),
    CONSTRAINT "notices_state_check" CHECK ("state" IN ('pending', 'delivered', 'rejected', 'dead', 'quarantined', 'parked')),
    CONSTRAINT "notices_finished_check" CHECK (("state" = 'pending') = ("finished_at" IS NULL)),
    CONSTRAINT "notices_claim_check" CHECK ("claim_expires_at" IS NULL OR "state" = 'pending'),
    CONSTRAINT "notices_receipt_check" CHECK ("state" <> 'delivered' OR "receipt" IS NOT NULL)
) WITH (
    fillfactor = 45, -- a claimed row stays in its page, and the indexes as they are
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 1
);

-- What relays look for.
CREATE INDEX "notices_pending_idx" ON "notices" ("destination", "next_attempt_at") WHERE "state" = 'pending';

-- What retention removes.
CREATE INDEX "notices_finished_idx" ON "notices" ("finished_at") WHERE "state" IN ('delivered', 'rejected');
