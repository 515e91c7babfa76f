-- soak_steps gives every step its identity for the business: its kind and its number within it.
CREATE VIEW soak_steps AS
SELECT s.id, s.node, i.n, s.node || '-' || i.n AS who, s.state, s.reason, s.attempt, s.reclaims, s.interruptions, s.epoch,
       s.max_attempts, s.max_reclaims, s.lease_expires_at, s.worker
FROM idem.steps s
CROSS JOIN LATERAL (SELECT CASE s.node
    WHEN 'send_receipt' THEN split_part(s.input ->> 'OrderID', '-', 2)::bigint
    ELSE (s.input ->> 'N')::bigint END) i(n);

-- soak_wanted has what must be there: the effects of the completed steps, each once. amount is 0 where there is none.
CREATE VIEW soak_wanted AS
WITH done AS (SELECT node, n, who FROM soak_steps WHERE state = 'completed')
SELECT 'ledger row' AS what, who, 1000 + n AS amount FROM done WHERE node IN ('charge', 'flaky', 'slow')
UNION ALL
SELECT 'payment', who, 1000 + n FROM done WHERE node = 'order'
UNION ALL
SELECT 'balance (no key)', owner, sum(1000 + n) FROM (
    SELECT CASE node WHEN 'order' THEN 'buyer-' || n % 5000 ELSE who END AS owner, n
    FROM done WHERE node IN ('order', 'flaky', 'slow')) b GROUP BY owner
UNION ALL
SELECT 'follow-up step', who, 0 FROM done WHERE node = 'order'
UNION ALL
SELECT 'receipt', 'order-' || n, 0 FROM done WHERE node = 'send_receipt'
UNION ALL
SELECT DISTINCT 'invoice (two runs each)', 'invoice-' || n / 2, 1000 + n / 2 FROM done WHERE node = 'invoice';

-- soak_found has what is there, under the same names.
CREATE VIEW soak_found AS
SELECT 'ledger row' AS what, user_id AS who, min(amount_cents) AS amount, count(*) AS copies FROM ledger GROUP BY user_id
UNION ALL
SELECT 'payment', order_id, min(amount_cents), count(*) FROM payments GROUP BY order_id
UNION ALL
SELECT 'balance (no key)', user_id, owed_cents, 1 FROM accounts
UNION ALL
SELECT 'follow-up step', 'order-' || n, 0, count(*) FROM soak_steps WHERE node = 'send_receipt' GROUP BY n
UNION ALL
SELECT 'receipt', order_id, 0, count(*) FROM receipts GROUP BY order_id
UNION ALL
SELECT 'invoice (two runs each)', order_id, min(total_cents), count(*) FROM invoices GROUP BY order_id;
