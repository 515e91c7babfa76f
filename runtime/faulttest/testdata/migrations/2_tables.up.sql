-- What idem generates for an effect that is keyed by run and node, and for one with a business key.
CREATE TABLE payments (
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT payments_payload_check CHECK (octet_length(payload_digest) = 32),
    order_id text NOT NULL, amount_cents bigint NOT NULL, paid_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT payments_idem_key PRIMARY KEY (run_id, node));
CREATE TABLE invoices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT invoices_payload_check CHECK (octet_length(payload_digest) = 32),
    order_id text COLLATE "C" NOT NULL CONSTRAINT invoices_idem_key UNIQUE, amount_cents bigint NOT NULL);

-- What teams write by hand.
CREATE TABLE charges (key text PRIMARY KEY, order_id text NOT NULL, amount_cents bigint NOT NULL);
CREATE TABLE journal (order_id text NOT NULL, amount_cents bigint NOT NULL);
CREATE TABLE lines (invoice_id bigint NOT NULL REFERENCES invoices, sku text NOT NULL, details jsonb);
