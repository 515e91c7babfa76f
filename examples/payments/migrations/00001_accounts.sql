-- The service had this table before idem came: what each customer owes. It has no key that idem knows of.
CREATE TABLE accounts (
    user_id text NOT NULL PRIMARY KEY,
    owed_cents bigint NOT NULL DEFAULT 0
);
