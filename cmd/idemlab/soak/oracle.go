package soak

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
)

// oracle is something that must hold. Its statement gives a line of text for each case in which it does not.
type oracle struct {
	id, says string
	atEnd    bool // it holds only when all work is done
	sql      string
	args     func(*facts) []any
}

// facts are what the statements are told.
type facts struct {
	acknowledged [fed]int64 // of each kind, how many of its first steps were acknowledged
}

// oracles are asked in one snapshot of the database. I8 is asked of the workers' reports too, I11 all the time, I12 of
// the faults, see there.
var oracles = []oracle{
	{
		id: "I1", says: "every acknowledged enqueue is there, once",
		sql: `SELECT v.node || '-' || g.n || ' was acknowledged and is missing'
			FROM unnest($1::text[], $2::bigint[]) AS v(node, acknowledged), generate_series(0, v.acknowledged - 1) AS g(n)
			WHERE NOT EXISTS (SELECT FROM soak_steps s WHERE s.node = v.node AND s.n = g.n)
			UNION ALL
			SELECT who || ' is there ' || count(*) || ' times' FROM soak_steps GROUP BY who HAVING count(*) > 1`,
		args: func(f *facts) []any { return []any{nodes[:fed], f.acknowledged[:]} },
	},
	{
		id: "I2", says: "a completed step has exactly its effects",
		sql: `SELECT w.what || ' of ' || w.who || CASE
			WHEN f.who IS NULL THEN ' is lost' WHEN f.copies > 1 THEN ' is there ' || f.copies || ' times'
			ELSE ' is ' || f.amount || ' and not ' || w.amount END
			FROM soak_wanted w LEFT JOIN soak_found f ON f.what = w.what AND f.who = w.who
			WHERE f.copies IS DISTINCT FROM 1 OR f.amount <> w.amount`,
	},
	{
		id: "I3", says: "an effect belongs to a completed step",
		sql: `SELECT f.what || ' of ' || f.who || ' is there, and no step of it is completed'
			FROM soak_found f LEFT JOIN soak_wanted w ON f.what = w.what AND f.who = w.who WHERE w.who IS NULL`,
	},
	{
		id: "I4", says: "a discarded step has no effect",
		// The two runs of an invoice share it, and I3 asks for them.
		sql: `SELECT s.who || ' is ' || s.state || ' and has its ' || f.what
			FROM soak_steps s JOIN soak_found f ON f.who = CASE s.node WHEN 'send_receipt' THEN 'order-' || s.n ELSE s.who END
				AND (f.what = 'receipt') = (s.node = 'send_receipt')
			WHERE s.state IN ('discarded', 'cancelled') AND s.node <> 'invoice'`,
	},
	{
		id: "I9", says: "attempts and reclaims are within their bounds, and each had a claim of its own",
		// A claim raises the epoch by one, and so does what ends it. Reclaims are counted within an attempt.
		sql: `SELECT s.who || ': state ' || s.state || ', epoch ' || s.epoch || ', attempt ' || s.attempt || ' of ' || s.max_attempts
			|| ', reclaims ' || s.reclaims || ', noted reclaims ' || coalesce(e.reclaims, 0)
			FROM soak_steps s LEFT JOIN LATERAL (
				SELECT count(*) FILTER (WHERE attempt = s.attempt) AS reclaims, count(*) AS ever
				FROM idem.step_events WHERE event = 'reclaimed' AND step_id = s.id) e ON true
			WHERE s.attempt > s.max_attempts OR s.reclaims > s.max_reclaims OR s.reclaims <> coalesce(e.reclaims, 0)
			OR (s.epoch % 2 = 1) <> (s.state = 'running')
			OR (s.epoch + 1) / 2 < e.ever + s.attempt - (s.state = 'pending')::integer`,
	},
	{
		id: "end", says: "every step ended as its handler says", atEnd: true,
		sql: `SELECT who || ' is ' || state || coalesce(' (' || reason || ')', '') || ' at attempt ' || attempt FROM soak_steps
			WHERE NOT coalesce(CASE node
				WHEN 'oversize' THEN state = 'discarded' AND reason = 'output_too_large'
				WHEN 'refused' THEN state = 'discarded' AND reason = 'permanent'
				WHEN 'flaky' THEN state = 'completed' AND attempt >= 2
				WHEN 'slow' THEN state = 'completed' AND attempt >= 2
				ELSE state = 'completed' END, false)
			UNION ALL
			SELECT 'order-' || o.n || ' is completed without its follow-up' FROM soak_steps o WHERE o.node = 'order' AND o.state = 'completed'
			AND NOT EXISTS (SELECT FROM soak_steps r WHERE r.node = 'send_receipt' AND r.n = o.n)`,
	},
}

// ask asks the oracles of one snapshot of the database; those for the end too, if atEnd. What f says must have been
// so before.
func ask(ctx context.Context, conn *pgx.Conn, f *facts, atEnd bool) (violated []finding.Violation, err error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, `SET LOCAL work_mem = '64MB'; SET LOCAL enable_nestloop = off`); err != nil {
		return nil, err
	}
	for _, o := range oracles {
		if o.atEnd && !atEnd {
			continue
		}
		v := finding.Violation{Oracle: o.id}
		if err := o.ask(ctx, tx, f, &v); err != nil {
			return nil, fmt.Errorf("oracle %s: %w", o.id, err)
		}
		if v.Count > 0 {
			violated = append(violated, v)
		}
	}
	return violated, nil
}

func (o *oracle) ask(ctx context.Context, tx pgx.Tx, f *facts, v *finding.Violation) error {
	var args []any
	if o.args != nil {
		args = o.args(f)
	}
	sql := fmt.Sprintf(`SELECT count(*), coalesce((array_agg(v ORDER BY v))[1:%d], '{}') FROM (%s) AS found(v)`, finding.MaxExamples, o.sql)
	return tx.QueryRow(ctx, sql, args...).Scan(&v.Count, &v.Examples)
}

// reportsAgree asks I8 of the workers' reports: whoever said that a step is completed was right.
func reportsAgree(ctx context.Context, conn *pgx.Conn, t *tracker) (finding.Violation, error) {
	v := finding.Violation{Oracle: "I8"}
	byNode := map[string]kind{}
	for k, node := range nodes {
		byNode[node] = kind(k)
	}
	rows, err := conn.Query(ctx, `SELECT node, n FROM soak_steps WHERE state <> 'completed'`)
	if err != nil {
		return v, err
	}
	var node string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&node, &n}, func() error {
		if s := (step{byNode[node], n}); t.reported(s) {
			v.Add(s.String() + " was reported completed and is not")
		}
		return nil
	})
	return v, err
}

// sqlOverdue asks I11: the steps that are still running although their lease ran out longer ago than $1 microseconds.
const sqlOverdue = `SELECT who || ' of worker ' || coalesce(worker, '?') || ', its lease ran out ' || (clock_timestamp() - lease_expires_at) || ' ago'
FROM soak_steps WHERE state = 'running' AND lease_expires_at < clock_timestamp() - $1::bigint * interval '1 microsecond'`

// overdueAfter is how long a step may be running with an expired lease.
const overdueAfter = lease + 2*sweep

// overdue asks I11.
func overdue(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, sqlOverdue, overdueAfter.Microseconds())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
