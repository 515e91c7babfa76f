-- What idem generates for an outbox with to= and item=.
CREATE TABLE webhooks (
    command_id text COLLATE "C" NOT NULL CONSTRAINT webhooks_idem_key PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT webhooks_payload_check CHECK (octet_length(payload_digest) = 32),
    url text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, payload bytea,
    state text COLLATE "C" NOT NULL DEFAULT 'pending'
        CONSTRAINT webhooks_state_check CHECK (state IN ('pending', 'delivered', 'rejected', 'dead', 'quarantined', 'parked')),
    attempts integer NOT NULL DEFAULT 0, created_at timestamptz NOT NULL DEFAULT now(), first_attempt_at timestamptz,
    next_attempt_at timestamptz NOT NULL DEFAULT now(), claim_epoch bigint NOT NULL DEFAULT 0, claim_expires_at timestamptz,
    receipt bytea, receipt_digest bytea, last_error text, finished_at timestamptz);
