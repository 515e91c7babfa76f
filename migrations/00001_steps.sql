-- +goose Up

-- One row is one step of one run. It carries the step's whole life: what to run, the lease of the worker that runs it,
-- and how it ended. (run_id, node) is the identity that every effect of the step is keyed by.
CREATE TABLE "idem".steps (
    id               bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    run_id           text        COLLATE "C" NOT NULL,
    node             text        COLLATE "C" NOT NULL,
    queue            text        COLLATE "C" NOT NULL,
    state            text        COLLATE "C" NOT NULL DEFAULT 'pending',
    reason           text        COLLATE "C",
    -- epoch grows with every transition. The value that a claim set is the claim's token: whoever holds an older one
    -- can no longer complete, fail, renew or release the step.
    epoch            bigint      NOT NULL DEFAULT 0,
    attempt          integer     NOT NULL DEFAULT 1,
    reclaims         integer     NOT NULL DEFAULT 0,
    -- interruptions counts releases that were the database's fault since the attempt began.
    interruptions    integer     NOT NULL DEFAULT 0,
    max_attempts     integer     NOT NULL,
    max_reclaims     integer,
    scheduled_at     timestamptz NOT NULL DEFAULT now(),
    lease_expires_at timestamptz,
    worker           text        COLLATE "C",
    -- json, not jsonb: the bytes stay as they were given, and so does their digest.
    input            json        NOT NULL,
    input_digest     bytea       NOT NULL,
    output           json,
    error            text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    finished_at      timestamptz,
    CONSTRAINT steps_pkey PRIMARY KEY (id),
    CONSTRAINT steps_run_node_key UNIQUE (run_id, node),
    CONSTRAINT steps_state_check CHECK (state IN ('pending', 'running', 'completed', 'discarded', 'cancelled')),
    CONSTRAINT steps_lease_check CHECK ((state = 'running') = (lease_expires_at IS NOT NULL)),
    CONSTRAINT steps_finished_check CHECK ((state IN ('completed', 'discarded', 'cancelled')) = (finished_at IS NOT NULL)),
    CONSTRAINT steps_counts_check CHECK (attempt >= 1 AND reclaims >= 0 AND interruptions >= 0 AND max_attempts >= 1),
    CONSTRAINT steps_digest_check CHECK (octet_length(input_digest) = 32)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 1
);

-- What can be claimed, in the order in which it is.
CREATE INDEX steps_ready_idx ON "idem".steps (queue, scheduled_at, id) WHERE state = 'pending';

-- What the sweep looks at.
CREATE INDEX steps_leased_idx ON "idem".steps (lease_expires_at, id) WHERE state = 'running';

-- Every transition that is not the ordinary path (retries, reclaims, releases, discards, cancels), for people who ask
-- what happened. A step that completes at its first execution writes nothing here.
CREATE TABLE "idem".step_events (
    id       bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    step_id  bigint      NOT NULL,
    epoch    bigint      NOT NULL,
    attempt  integer     NOT NULL,
    reclaims integer     NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    event    text        COLLATE "C" NOT NULL,
    reason   text        COLLATE "C",
    worker   text        COLLATE "C",
    error    text,
    CONSTRAINT step_events_pkey PRIMARY KEY (id),
    CONSTRAINT step_events_step_fkey FOREIGN KEY (step_id) REFERENCES "idem".steps (id) ON DELETE CASCADE,
    CONSTRAINT step_events_event_check CHECK (event IN ('retried', 'reclaimed', 'released', 'discarded', 'cancelled'))
);

CREATE INDEX step_events_step_idx ON "idem".step_events (step_id, epoch);

-- A completion that lost its lease calls this: the error rolls back everything that was written with it.
-- +goose StatementBegin
CREATE FUNCTION "idem".lease_lost(held bigint, expected bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'idem: lease lost: % of % steps are still held', held, expected USING ERRCODE = 'ID001';
END $$;
-- +goose StatementEnd

-- The version of the schema, whatever tool applied it. Workers and clients ask for it when they start.
CREATE FUNCTION "idem".schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';

-- +goose Down

DROP FUNCTION "idem".schema_version();
DROP FUNCTION "idem".lease_lost(bigint, bigint);
DROP TABLE "idem".step_events;
DROP TABLE "idem".steps;
