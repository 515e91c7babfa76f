CREATE TABLE counters (name text PRIMARY KEY, count bigint NOT NULL);
CREATE INDEX CONCURRENTLY counters_count_idx ON counters (count);
INSERT INTO counters VALUES ('seed', 7);
