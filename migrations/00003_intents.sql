-- +goose Up

-- One row is one call of an external provider under one key. It is committed before the call is sent, so that no call is
-- ever under way that nobody knows of, and it outlives the step: it is the evidence of what was done outside.
CREATE TABLE "idem".intents (
    key            text        COLLATE "C" NOT NULL,
    -- The step that made the call. No foreign key: steps may be purged, evidence stays.
    run_id         text        COLLATE "C" NOT NULL,
    node           text        COLLATE "C" NOT NULL,
    provider       text        COLLATE "C" NOT NULL,
    item           text        COLLATE "C" NOT NULL DEFAULT '',
    -- generation grows only after a proven rejection; each has a key of its own.
    generation     integer     NOT NULL DEFAULT 1,
    -- compensates is the key of the call that this one takes back.
    compensates    text        COLLATE "C",
    state          text        COLLATE "C" NOT NULL DEFAULT 'prepared',
    -- epoch grows by one with every change, and fences it: whoever has seen an older one changes nothing.
    epoch          bigint      NOT NULL DEFAULT 1,
    -- owner tells an execution that lost the database's answer that the row is its own.
    owner          text        COLLATE "C" NOT NULL,
    -- json, not jsonb: the bytes stay as they were given, and so does their digest.
    request        json        NOT NULL,
    request_digest bytea       NOT NULL,
    receipt        json,
    -- Who made the last change, and why. The history keeps all of them.
    actor          text        NOT NULL,
    reason         text        NOT NULL,
    undoable       boolean     NOT NULL DEFAULT false,
    -- quarantined: the provider knows the key with another payload. Nothing is sent by itself any more.
    quarantined    boolean     NOT NULL DEFAULT false,
    dispatches     integer     NOT NULL DEFAULT 1,
    checks         integer     NOT NULL DEFAULT 0,
    -- dispatched_at is when the call was last sent, or was about to be; NULL when it is known that nothing has left.
    dispatched_at  timestamptz DEFAULT clock_timestamp(),
    window_ends_at timestamptz,
    not_before     timestamptz,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    settled_at     timestamptz,
    CONSTRAINT intents_pkey PRIMARY KEY (key),
    CONSTRAINT intents_compensates_fkey FOREIGN KEY (compensates) REFERENCES "idem".intents (key),
    CONSTRAINT intents_state_check CHECK (state IN ('prepared', 'confirmed', 'unknown', 'reconciled', 'rejected', 'compensated')),
    CONSTRAINT intents_settled_check CHECK ((state IN ('prepared', 'unknown')) = (settled_at IS NULL)),
    CONSTRAINT intents_receipt_check CHECK (receipt IS NULL OR state IN ('confirmed', 'reconciled', 'compensated')),
    CONSTRAINT intents_counts_check CHECK (epoch >= 1 AND generation >= 1 AND dispatches >= 1 AND checks >= 0),
    CONSTRAINT intents_digest_check CHECK (octet_length(request_digest) = 32)
);

-- A call has a generation once.
CREATE UNIQUE INDEX intents_call_key ON "idem".intents (run_id, node, provider, item, generation) WHERE compensates IS NULL;
CREATE UNIQUE INDEX intents_compensation_key ON "idem".intents (compensates, generation) WHERE compensates IS NOT NULL;

-- What operators ask for first: what is open, oldest first.
CREATE INDEX intents_open_idx ON "idem".intents (created_at, key) WHERE state IN ('prepared', 'unknown');

-- What retention looks at.
CREATE INDEX intents_settled_idx ON "idem".intents (settled_at, key) WHERE settled_at IS NOT NULL AND compensates IS NULL;

-- The history of every intent, a row per epoch, written by the trigger and by nobody else.
CREATE TABLE "idem".intent_events (
    key        text        COLLATE "C" NOT NULL,
    epoch      bigint      NOT NULL,
    from_state text        COLLATE "C",
    to_state   text        COLLATE "C" NOT NULL,
    dispatches integer     NOT NULL,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor      text        NOT NULL,
    reason     text        NOT NULL,
    CONSTRAINT intent_events_pkey PRIMARY KEY (key, epoch),
    CONSTRAINT intent_events_intent_fkey FOREIGN KEY (key) REFERENCES "idem".intents (key) ON DELETE CASCADE
);

-- intent_guard lets only those changes through that the life of an intent has. What is done and what is known can not be
-- taken back by an UPDATE, whoever sends it.
-- +goose StatementBegin
CREATE FUNCTION "idem".intent_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.state IN ('prepared', 'unknown') THEN
            RAISE EXCEPTION 'idem: intent % is %: its outcome is not known, so it cannot be deleted', OLD.key, OLD.state USING ERRCODE = 'ID002';
        END IF;
        RETURN OLD;
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.state <> 'prepared' OR NEW.epoch <> 1 THEN
            RAISE EXCEPTION 'idem: intent % begins as %: an intent begins as prepared', NEW.key, NEW.state USING ERRCODE = 'ID002';
        END IF;
        IF NEW.generation > 1 AND NOT EXISTS (
            SELECT FROM "idem".intents p
            WHERE p.generation = NEW.generation - 1 AND p.state = 'rejected' AND p.provider = NEW.provider
              AND (p.compensates = NEW.compensates
                   OR p.compensates IS NULL AND NEW.compensates IS NULL
                      AND p.run_id = NEW.run_id AND p.node = NEW.node AND p.item = NEW.item)) THEN
            RAISE EXCEPTION 'idem: intent % is generation %: the one before is not proven to be rejected', NEW.key, NEW.generation USING ERRCODE = 'ID002';
        END IF;
        IF NEW.compensates IS NOT NULL AND NOT EXISTS (
            SELECT FROM "idem".intents c WHERE c.key = NEW.compensates AND c.state IN ('confirmed', 'reconciled') AND c.undoable) THEN
            RAISE EXCEPTION 'idem: intent % cannot be compensated', NEW.compensates USING ERRCODE = 'ID002';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.epoch <> OLD.epoch + 1
       OR (NEW.key, NEW.run_id, NEW.node, NEW.provider, NEW.item, NEW.generation, NEW.request::text, NEW.request_digest, NEW.undoable, NEW.created_at)
          <> (OLD.key, OLD.run_id, OLD.node, OLD.provider, OLD.item, OLD.generation, OLD.request::text, OLD.request_digest, OLD.undoable, OLD.created_at)
       OR NEW.compensates IS DISTINCT FROM OLD.compensates THEN
        RAISE EXCEPTION 'idem: intent %: its identity and its request never change, and its epoch grows by one', OLD.key USING ERRCODE = 'ID002';
    END IF;
    -- The same state again is no transition: sent again, looked at again, a remark. Nothing leaves compensated.
    IF NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN (
        ('prepared', 'confirmed'), ('prepared', 'unknown'), ('prepared', 'rejected'),
        ('unknown', 'reconciled'), ('unknown', 'rejected'),
        ('confirmed', 'compensated'), ('reconciled', 'compensated'))
       OR OLD.state = 'compensated' THEN
        RAISE EXCEPTION 'idem: intent % cannot go from % to %', OLD.key, OLD.state, NEW.state USING ERRCODE = 'ID002';
    END IF;
    IF OLD.state NOT IN ('prepared', 'unknown') AND NEW.receipt::text IS DISTINCT FROM OLD.receipt::text THEN
        RAISE EXCEPTION 'idem: intent % is %: its receipt never changes', OLD.key, OLD.state USING ERRCODE = 'ID002';
    END IF;
    IF NEW.state = 'compensated' AND NOT EXISTS (
        SELECT FROM "idem".intents c WHERE c.compensates = NEW.key AND c.state IN ('confirmed', 'reconciled')) THEN
        RAISE EXCEPTION 'idem: intent % cannot be compensated: no compensation of it is confirmed', NEW.key USING ERRCODE = 'ID002';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- intent_history writes the history, and marks the call compensated whose compensation is confirmed.
-- +goose StatementBegin
CREATE FUNCTION "idem".intent_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        before := OLD.state;
    END IF;
    INSERT INTO "idem".intent_events (key, epoch, from_state, to_state, dispatches, actor, reason)
    VALUES (NEW.key, NEW.epoch, before, NEW.state, NEW.dispatches, NEW.actor, NEW.reason);
    IF NEW.compensates IS NOT NULL AND NEW.state IN ('confirmed', 'reconciled') AND before <> NEW.state THEN
        UPDATE "idem".intents
        SET state = 'compensated', epoch = epoch + 1, actor = NEW.actor, reason = 'by ' || NEW.key
        WHERE key = NEW.compensates;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION "idem".intent_history_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'idem: the history of intents never changes' USING ERRCODE = 'ID002';
END $$;
-- +goose StatementEnd

CREATE TRIGGER intents_guard BEFORE INSERT OR UPDATE OR DELETE ON "idem".intents
    FOR EACH ROW EXECUTE FUNCTION "idem".intent_guard();

CREATE TRIGGER intents_history AFTER INSERT OR UPDATE ON "idem".intents
    FOR EACH ROW EXECUTE FUNCTION "idem".intent_history();

CREATE TRIGGER intent_events_stay BEFORE UPDATE ON "idem".intent_events
    FOR EACH ROW EXECUTE FUNCTION "idem".intent_history_stays();

CREATE OR REPLACE FUNCTION "idem".schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 3';

-- +goose Down

CREATE OR REPLACE FUNCTION "idem".schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 2';
DROP TABLE "idem".intent_events;
DROP TABLE "idem".intents;
DROP FUNCTION "idem".intent_history_stays();
DROP FUNCTION "idem".intent_history();
DROP FUNCTION "idem".intent_guard();
