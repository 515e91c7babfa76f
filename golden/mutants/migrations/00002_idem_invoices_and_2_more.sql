-- invoices holds one row per order_id; idem writes it with the step's completion.
CREATE TABLE "invoices" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "invoices_payload_check" CHECK (octet_length("payload_digest") = 32),
    "id" bigint GENERATED ALWAYS AS IDENTITY,
    "order_id" text COLLATE "C" NOT NULL,
    "cents" bigint NOT NULL,
    CONSTRAINT "invoices_idem_key" UNIQUE ("order_id"),
    CONSTRAINT "invoices_pkey" PRIMARY KEY ("id")
);

-- lines holds one row per run, node and name; idem writes it with the step's completion.
CREATE TABLE "lines" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "lines_payload_check" CHECK (octet_length("payload_digest") = 32),
    "name" text COLLATE "C" NOT NULL,
    "cents" bigint NOT NULL,
    CONSTRAINT "lines_idem_key" PRIMARY KEY ("run_id", "node", "name")
);

-- payments holds one row per run and node; idem writes it with the step's completion.
CREATE TABLE "payments" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "payments_payload_check" CHECK (octet_length("payload_digest") = 32),
    "order_id" text NOT NULL,
    "cents" bigint NOT NULL,
    CONSTRAINT "payments_idem_key" PRIMARY KEY ("run_id", "node")
);
