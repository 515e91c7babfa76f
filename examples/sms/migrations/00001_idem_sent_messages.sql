-- sent_messages holds one row per run and node; idem writes it with the step's completion.
CREATE TABLE "sent_messages" (
    "run_id" text COLLATE "C" NOT NULL,
    "node" text COLLATE "C" NOT NULL,
    "payload_digest" bytea NOT NULL CONSTRAINT "sent_messages_payload_check" CHECK (octet_length("payload_digest") = 32),
    "patient" text NOT NULL,
    "message_id" text NOT NULL,
    CONSTRAINT "sent_messages_idem_key" PRIMARY KEY ("run_id", "node")
);
