-- What the soak adds to the outboxes that idem generated.

-- soak_keys gives the commands of a key their positions. Whoever takes one holds the key until its commit.
CREATE TABLE soak_keys (key text PRIMARY KEY, position bigint NOT NULL);

-- soak_count counts what happens to a command. A relay knows of no such columns.
--
-- claims: a relay took it. Of these, released: given back unsent; answered: what the receiver had answered was recorded;
-- failed: that no answer came was recorded. Nothing was recorded of the rest: their marks are lost.
CREATE FUNCTION soak_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.claim_expires_at IS NOT NULL THEN
        NEW.claims := OLD.claims + 1;
    ELSIF NEW.state = 'pending' AND NEW.attempts < OLD.attempts THEN
        NEW.released := OLD.released + 1;
    ELSIF NEW.state = 'delivered' OR NEW.last_error LIKE 'the receiver answered %' THEN
        NEW.answered := OLD.answered + 1;
    ELSE
        NEW.failed := OLD.failed + 1;
    END IF;
    RETURN NEW;
END $$;

ALTER TABLE notices
    ADD claims integer NOT NULL DEFAULT 0,
    ADD released integer NOT NULL DEFAULT 0,
    ADD answered integer NOT NULL DEFAULT 0,
    ADD failed integer NOT NULL DEFAULT 0;
CREATE TRIGGER soak_count BEFORE UPDATE ON notices FOR EACH ROW EXECUTE FUNCTION soak_count();

ALTER TABLE changes
    ADD claims integer NOT NULL DEFAULT 0,
    ADD released integer NOT NULL DEFAULT 0,
    ADD answered integer NOT NULL DEFAULT 0,
    ADD failed integer NOT NULL DEFAULT 0;
CREATE TRIGGER soak_count BEFORE UPDATE ON changes FOR EACH ROW EXECUTE FUNCTION soak_count();

CREATE VIEW soak_commands AS
SELECT command_id, node, destination, who, state, attempts, created_at, receipt, last_error, claims, released, answered, failed FROM notices
UNION ALL
SELECT command_id, node, destination, who, state, attempts, created_at, receipt, last_error, claims, released, answered, failed FROM changes;
