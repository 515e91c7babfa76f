-- +goose Up

-- The consumer's side of an outbox: which commands a consumer has taken, written in the transaction of what they changed.
-- The rows are the evidence that keeps a command from being taken twice; they outlive every replay.
CREATE TABLE "idem".inbox (
    consumer    text        COLLATE "C" NOT NULL,
    command_id  text        COLLATE "C" NOT NULL,
    digest      bytea       NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT inbox_pkey PRIMARY KEY (consumer, command_id),
    CONSTRAINT inbox_digest_check CHECK (octet_length(digest) = 32)
);

-- What retention looks at.
CREATE INDEX inbox_received_idx ON "idem".inbox (received_at);

-- Commands that came under an id that was known with another payload: nothing was done for them, and somebody has to
-- look at them. Each payload is kept once, however often it comes.
CREATE TABLE "idem".inbox_quarantine (
    consumer    text        COLLATE "C" NOT NULL,
    command_id  text        COLLATE "C" NOT NULL,
    digest      bytea       NOT NULL,
    payload     bytea       NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT inbox_quarantine_pkey PRIMARY KEY (consumer, command_id, digest)
);

-- What people did to commands of an outbox by hand, and why.
CREATE TABLE "idem".outbox_events (
    id           bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    outbox       text        COLLATE "C" NOT NULL,
    command_id   text        COLLATE "C" NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    event        text        COLLATE "C" NOT NULL,
    actor        text        NOT NULL,
    reason       text        NOT NULL,
    state_before text        COLLATE "C" NOT NULL,
    error_before text,
    CONSTRAINT outbox_events_pkey PRIMARY KEY (id),
    CONSTRAINT outbox_events_event_check CHECK (event IN ('replayed'))
);

CREATE INDEX outbox_events_command_idx ON "idem".outbox_events (command_id, id);

CREATE OR REPLACE FUNCTION "idem".schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 2';

-- +goose Down

CREATE OR REPLACE FUNCTION "idem".schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';
DROP TABLE "idem".outbox_events;
DROP TABLE "idem".inbox_quarantine;
DROP TABLE "idem".inbox;
