-- The tables that the shop writes by hand.
CREATE TABLE charges (key text PRIMARY KEY, tenant_id text NOT NULL, cents bigint NOT NULL);
CREATE TABLE journal (order_id text NOT NULL, cents bigint NOT NULL);
CREATE TABLE marks (order_id text NOT NULL, cents bigint NOT NULL, PRIMARY KEY (order_id, cents));

CREATE TABLE counters (name text PRIMARY KEY, count bigint NOT NULL);
INSERT INTO counters VALUES ('orders', 7);

CREATE TABLE baskets (order_id text NOT NULL, sku text NOT NULL);
INSERT INTO baskets VALUES ('OrderID', 'bread'), ('OrderID', 'milk'), ('another', 'salt');
