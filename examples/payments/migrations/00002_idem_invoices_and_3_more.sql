-- invoices holds one row per order_id; idem writes it with the step's completion.
CREATE TABLE "invoices" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "invoices_payload_check" CHECK (octet_length("payload_digest") = 32),
    "id" bigint GENERATED ALWAYS AS IDENTITY,
    "order_id" text COLLATE "C" NOT NULL,
    "total_cents" bigint NOT NULL,
    "finalized_at" timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT "invoices_idem_key" UNIQUE ("order_id"),
    CONSTRAINT "invoices_pkey" PRIMARY KEY ("id")
);

-- ledger holds one row per run and node; idem writes it with the step's completion.
CREATE TABLE "ledger" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "ledger_payload_check" CHECK (octet_length("payload_digest") = 32),
    "user_id" text NOT NULL,
    "amount_cents" bigint NOT NULL,
    "charged_at" timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT "ledger_idem_key" PRIMARY KEY ("run_id", "node")
);

-- payments holds one row per run and node; idem writes it with the step's completion.
CREATE TABLE "payments" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "payments_payload_check" CHECK (octet_length("payload_digest") = 32),
    "order_id" text NOT NULL,
    "user_id" text NOT NULL,
    "amount_cents" bigint NOT NULL,
    "created_at" timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT "payments_idem_key" PRIMARY KEY ("run_id", "node")
);

-- receipts holds one row per run and node; idem writes it with the step's completion.
CREATE TABLE "receipts" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "receipts_payload_check" CHECK (octet_length("payload_digest") = 32),
    "order_id" text NOT NULL,
    "body" text NOT NULL,
    CONSTRAINT "receipts_idem_key" PRIMARY KEY ("run_id", "node")
);
