-- soak_count counts what happens to a command. A relay knows of no such columns.
--
-- claims: a relay took it. Of these, released: given back unsent; answered: what the receiver had answered was recorded;
-- failed: that no answer came was recorded. Nothing was recorded of the rest: their marks are lost.
CREATE FUNCTION soak_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.claim_expires_at IS NOT NULL THEN
        NEW.claims := OLD.claims + 1;
    ELSIF NEW.state = 'pending' AND NEW.attempts < OLD.attempts THEN
        NEW.released := OLD.released + 1;
    ELSIF NEW.state = 'delivered' OR NEW.last_error LIKE 'the receiver answered %' THEN
        NEW.answered := OLD.answered + 1;
    ELSE
        NEW.failed := OLD.failed + 1;
    END IF;
    RETURN NEW;
END $$;

-- soak_keys gives the commands of a key their positions. Whoever takes one holds the key until its commit.
CREATE TABLE soak_keys (key text PRIMARY KEY, position bigint NOT NULL);

-- notices have no order, changes are kept in the order of their keys.
CREATE TABLE "notices" (
    "command_id" text COLLATE "C" NOT NULL,
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "notices_payload_check" CHECK (octet_length("payload_digest") = 32),
    "destination" text COLLATE "C" NOT NULL,
    "item" bigint NOT NULL,
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
    "claims" integer NOT NULL DEFAULT 0,
    "released" integer NOT NULL DEFAULT 0,
    "answered" integer NOT NULL DEFAULT 0,
    "failed" integer NOT NULL DEFAULT 0,
    CONSTRAINT "notices_idem_key" PRIMARY KEY ("command_id"),
    CONSTRAINT "notices_state_check" CHECK ("state" IN ('pending', 'delivered', 'rejected', 'dead', 'quarantined', 'parked')),
    CONSTRAINT "notices_finished_check" CHECK (("state" = 'pending') = ("finished_at" IS NULL)),
    CONSTRAINT "notices_claim_check" CHECK ("claim_expires_at" IS NULL OR "state" = 'pending'),
    CONSTRAINT "notices_receipt_check" CHECK ("state" <> 'delivered' OR "receipt" IS NOT NULL)
) WITH (
    fillfactor = 45,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 1
);
CREATE INDEX "notices_pending_idx" ON "notices" ("destination", "next_attempt_at") WHERE "state" = 'pending';
CREATE INDEX "notices_finished_idx" ON "notices" ("finished_at") WHERE "state" IN ('delivered', 'rejected');
CREATE TRIGGER soak_count BEFORE UPDATE ON "notices" FOR EACH ROW EXECUTE FUNCTION soak_count();

CREATE TABLE "changes" (
    "seq" bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    "command_id" text COLLATE "C" NOT NULL,
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "changes_payload_check" CHECK (octet_length("payload_digest") = 32),
    "destination" text COLLATE "C" NOT NULL,
    "key" text COLLATE "C" NOT NULL,
    "item" bigint NOT NULL,
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
    "claims" integer NOT NULL DEFAULT 0,
    "released" integer NOT NULL DEFAULT 0,
    "answered" integer NOT NULL DEFAULT 0,
    "failed" integer NOT NULL DEFAULT 0,
    CONSTRAINT "changes_idem_key" PRIMARY KEY ("command_id"),
    CONSTRAINT "changes_state_check" CHECK ("state" IN ('pending', 'delivered', 'rejected', 'dead', 'quarantined', 'parked')),
    CONSTRAINT "changes_finished_check" CHECK (("state" = 'pending') = ("finished_at" IS NULL)),
    CONSTRAINT "changes_claim_check" CHECK ("claim_expires_at" IS NULL OR "state" = 'pending'),
    CONSTRAINT "changes_receipt_check" CHECK ("state" <> 'delivered' OR "receipt" IS NOT NULL)
) WITH (
    fillfactor = 45,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 1
);
CREATE INDEX "changes_pending_idx" ON "changes" ("key", "seq") WHERE "state" = 'pending';
CREATE INDEX "changes_finished_idx" ON "changes" ("finished_at") WHERE "state" IN ('delivered', 'rejected');
CREATE TRIGGER soak_count BEFORE UPDATE ON "changes" FOR EACH ROW EXECUTE FUNCTION soak_count();

CREATE VIEW soak_commands AS
SELECT command_id, node, destination, convert_from(body, 'UTF8')::json ->> 'who' AS who, state, attempts, created_at, receipt, last_error,
    claims, released, answered, failed FROM notices
UNION ALL
SELECT command_id, node, destination, convert_from(body, 'UTF8')::json ->> 'who' AS who, state, attempts, created_at, receipt, last_error,
    claims, released, answered, failed FROM changes;
