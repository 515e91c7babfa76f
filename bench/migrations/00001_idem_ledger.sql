-- ledger holds one row per run and node; idem writes it with the step's completion.
CREATE TABLE "ledger" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "ledger_payload_check" CHECK (octet_length("payload_digest") = 32),
    "amount" bigint NOT NULL,
    "memo" text NOT NULL,
    "created_at" timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT "ledger_idem_key" PRIMARY KEY ("run_id", "node")
);
