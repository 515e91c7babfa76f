package soak

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/runtime/pgtest"
)

// baseline is the outcome of four steps of each kind: all is as it must be.
const baseline = `
INSERT INTO idem.steps (run_id, node, queue, state, reason, epoch, attempt, max_attempts, input, input_digest, finished_at)
SELECT node || n, node, 'default',
	CASE WHEN node IN ('oversize', 'refused') THEN 'discarded' ELSE 'completed' END,
	CASE node WHEN 'oversize' THEN 'output_too_large' WHEN 'refused' THEN 'permanent' END,
	CASE WHEN node IN ('flaky', 'slow') THEN 4 ELSE 2 END, CASE WHEN node IN ('flaky', 'slow') THEN 2 ELSE 1 END, 20,
	CASE node WHEN 'send_receipt' THEN json_build_object('OrderID', 'order-' || n) ELSE json_build_object('N', n) END,
	sha256(''), now()
FROM unnest(ARRAY['charge', 'order', 'invoice', 'flaky', 'slow', 'oversize', 'refused', 'send_receipt']) AS node, generate_series(0, 3) AS n;
INSERT INTO ledger (run_id, node, payload_digest, user_id, amount_cents)
SELECT node || n, node, sha256(''), node || '-' || n, 1000 + n FROM unnest(ARRAY['charge', 'flaky', 'slow']) AS node, generate_series(0, 3) AS n;
INSERT INTO payments (run_id, node, payload_digest, order_id, user_id, amount_cents)
SELECT 'order' || n, 'order', sha256(''), 'order-' || n, 'buyer-' || n, 1000 + n FROM generate_series(0, 3) AS n;
INSERT INTO accounts (user_id, owed_cents)
SELECT name || '-' || n, 1000 + n FROM unnest(ARRAY['buyer', 'flaky', 'slow']) AS name, generate_series(0, 3) AS n;
INSERT INTO receipts (run_id, node, payload_digest, order_id, body) SELECT 'r' || n, 'send_receipt', sha256(''), 'order-' || n, '' FROM generate_series(0, 3) AS n;
INSERT INTO invoices (run_id, node, payload_digest, order_id, total_cents)
SELECT 'invoice' || n, 'invoice', sha256(''), 'invoice-' || n, 1000 + n FROM generate_series(0, 1) AS n;`

// TestOraclesSeeWhatIsPlanted: an oracle that cannot fail proves nothing.
func TestOraclesSeeWhatIsPlanted(t *testing.T) {
	t.Parallel()
	const reopen = `SET state = 'pending', epoch = epoch + 2, finished_at = NULL, reason = NULL `
	for _, c := range []struct {
		name, sql string
		atEnd     []string // what is violated, when all work is done
		during    []string // and while it goes on
	}{
		{name: "all is well", sql: `SELECT`},
		{"an acknowledged step is missing", `DELETE FROM idem.steps WHERE run_id = 'refused2'`, []string{"I1"}, []string{"I1"}},
		{"a step is there twice", `INSERT INTO idem.steps (run_id, node, queue, state, reason, epoch, max_attempts, input, input_digest, finished_at)
			VALUES ('other', 'refused', 'default', 'discarded', 'permanent', 2, 20, '{"N": 1}', sha256(''), now())`, []string{"I1"}, []string{"I1"}},
		{"a recorded row is lost", `DELETE FROM ledger WHERE user_id = 'charge-1'`, []string{"I2"}, []string{"I2"}},
		{"a recorded row is there twice", `INSERT INTO ledger (run_id, node, payload_digest, user_id, amount_cents)
			VALUES ('other', 'charge', sha256(''), 'charge-1', 1001)`, []string{"I2"}, []string{"I2"}},
		{"a recorded row has another amount", `UPDATE ledger SET amount_cents = 1 WHERE user_id = 'slow-1'`, []string{"I2"}, []string{"I2"}},
		{"a balance was added to twice", `UPDATE accounts SET owed_cents = owed_cents + 1001 WHERE user_id = 'buyer-1'`, []string{"I2"}, []string{"I2"}},
		{"a balance was not added to", `DELETE FROM accounts WHERE user_id = 'flaky-3'`, []string{"I2"}, []string{"I2"}},
		{"a payment is lost", `DELETE FROM payments WHERE order_id = 'order-0'`, []string{"I2"}, []string{"I2"}},
		{"an invoice is lost", `DELETE FROM invoices WHERE order_id = 'invoice-1'`, []string{"I2"}, []string{"I2"}},
		{"a receipt is there twice", `INSERT INTO receipts (run_id, node, payload_digest, order_id, body)
			VALUES ('other', 'send_receipt', sha256(''), 'order-3', '')`, []string{"I2"}, []string{"I2"}},
		{"a follow-up is lost", `DELETE FROM idem.steps WHERE run_id = 'send_receipt2'`, []string{"I2", "I3", "end"}, []string{"I2", "I3"}},
		{"a follow-up is there twice", `INSERT INTO idem.steps (run_id, node, queue, state, epoch, max_attempts, input, input_digest, finished_at)
			VALUES ('other', 'send_receipt', 'receipts', 'completed', 2, 20, '{"OrderID": "order-1"}', sha256(''), now())`,
			[]string{"I1", "I2"}, []string{"I1", "I2"}},
		{"an effect is there before its step is completed", `UPDATE idem.steps ` + reopen + `WHERE run_id = 'charge1'`,
			[]string{"I3", "end"}, []string{"I3"}},
		{"an effect belongs to nobody", `INSERT INTO invoices (run_id, node, payload_digest, order_id, total_cents)
			VALUES ('x', 'x', sha256(''), 'invoice-9', 1009)`, []string{"I3"}, []string{"I3"}},
		{"a discarded step has an effect", `INSERT INTO ledger (run_id, node, payload_digest, user_id, amount_cents)
			VALUES ('x', 'x', sha256(''), 'refused-1', 1001)`, []string{"I3", "I4"}, []string{"I3", "I4"}},
		{"a discarded step has added to a balance", `INSERT INTO accounts (user_id, owed_cents) VALUES ('oversize-1', 1001)`,
			[]string{"I3", "I4"}, []string{"I3", "I4"}},
		{"a step has too many attempts", `UPDATE idem.steps SET attempt = 21, epoch = 42 WHERE run_id = 'charge1'`, []string{"I9"}, []string{"I9"}},
		{"a step has too many reclaims", `UPDATE idem.steps SET reclaims = 2, max_reclaims = 1, epoch = 6 WHERE run_id = 'charge1';
			INSERT INTO idem.step_events (step_id, epoch, attempt, reclaims, event)
			SELECT id, g, 1, g, 'reclaimed' FROM idem.steps, generate_series(1, 2) g WHERE run_id = 'charge1'`, []string{"I9"}, []string{"I9"}},
		{"a reclaim was counted twice", `UPDATE idem.steps SET reclaims = 2, epoch = 6 WHERE run_id = 'charge1';
			INSERT INTO idem.step_events (step_id, epoch, attempt, reclaims, event)
			SELECT id, 2, 1, 1, 'reclaimed' FROM idem.steps WHERE run_id = 'charge1'`, []string{"I9"}, []string{"I9"}},
		{"an attempt had no claim of its own", `UPDATE idem.steps SET attempt = 2 WHERE run_id = 'charge1'`, []string{"I9"}, []string{"I9"}},
		{"an epoch was raised once too often", `UPDATE idem.steps SET epoch = 3 WHERE run_id = 'charge1'`, []string{"I9"}, []string{"I9"}},
		{"a step is left", `UPDATE idem.steps ` + reopen + `WHERE run_id = 'refused1'`, []string{"end"}, nil},
		{"a step was given up", `UPDATE idem.steps SET state = 'discarded', reason = 'attempts_exhausted' WHERE run_id = 'invoice1'`,
			[]string{"end"}, nil},
		{"a failure counted for nothing", `UPDATE idem.steps SET attempt = 1 WHERE run_id = 'flaky1'`, []string{"end"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn := database(t, baseline+c.sql)
			var f facts
			for k := range f.acknowledged {
				f.acknowledged[k] = 4
			}
			for atEnd, want := range map[bool][]string{true: c.atEnd, false: c.during} {
				violated, err := ask(t.Context(), conn, &f, atEnd)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, v := range violated {
					got = append(got, v.Oracle)
					if len(v.Examples) == 0 {
						t.Errorf("%s without an example: %+v", v.Oracle, v)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("at the end: %v; violated are %v, want %v: %+v", atEnd, got, want, violated)
				}
			}
		})
	}
}

// TestStepsBeyondTheAcknowledgedMayBeThere: an enqueue whose answer was lost is stored, and will be asked for again.
func TestStepsBeyondTheAcknowledgedMayBeThere(t *testing.T) {
	t.Parallel()
	conn := database(t, baseline)
	if violated, err := ask(t.Context(), conn, &facts{}, true); err != nil || len(violated) > 0 {
		t.Errorf("%+v, %v", violated, err)
	}
}

func TestReportsAreComparedWithTheDatabase(t *testing.T) {
	t.Parallel()
	conn := database(t, baseline)
	x := newTracker()
	for _, line := range []string{"c 0 0", "c 1 3", "c 7 2"} {
		x.report(nil, []byte(line))
	}
	if v, err := reportsAgree(t.Context(), conn, x); err != nil || v.Count != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	x.report(nil, []byte("c 6 1")) // a refused step
	if v, err := reportsAgree(t.Context(), conn, x); err != nil || v.Count != 1 || v.Examples[0] != "refused-1 was reported completed and is not" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestOverdueStepsAreSeen(t *testing.T) {
	t.Parallel()
	conn := database(t, baseline+`
UPDATE idem.steps SET state = 'running', epoch = 1, finished_at = NULL, lease_expires_at = now() - interval '10 seconds' WHERE run_id = 'charge0';
UPDATE idem.steps SET state = 'running', epoch = 1, finished_at = NULL, lease_expires_at = now() - interval '1 second' WHERE run_id = 'charge1'`)
	found, err := overdue(t.Context(), conn)
	if err != nil || len(found) != 1 || found[0][:len("charge-0 ")] != "charge-0 " {
		t.Errorf("%v, %v", found, err)
	}
}

func TestFaultsThatMissAreSeen(t *testing.T) {
	t.Parallel()
	planned := schedule(3, 10*time.Minute, 3)
	landed := fault.Planned(planned)
	if v := notLanded(planned, landed); v.Count != 0 {
		t.Errorf("%+v", v)
	}
	landed[FaultStop] = 0
	delete(landed, FaultCut)
	if v := notLanded(planned, landed); v.Count != 2 {
		t.Errorf("%+v", v)
	}
}

// TestEffectsAreCounted compares the report's numbers with what is planted.
func TestEffectsAreCounted(t *testing.T) {
	t.Parallel()
	conn := database(t, baseline+`
DELETE FROM ledger WHERE user_id IN ('charge-0', 'charge-1');
INSERT INTO payments (run_id, node, payload_digest, order_id, user_id, amount_cents) VALUES ('x', 'order', sha256(''), 'order-1', 'buyer-1', 1001);
UPDATE accounts SET owed_cents = owed_cents + 1002 WHERE user_id = 'buyer-2';
UPDATE accounts SET owed_cents = 0 WHERE user_id = 'buyer-3'`)
	rows, err := conn.Query(t.Context(), sqlEffects)
	if err != nil {
		t.Fatal(err)
	}
	effects, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Effect])
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Effect{}
	for _, e := range effects {
		got[e.Name] = e
	}
	want := map[string]Effect{
		"ledger row":              {"ledger row", 12, 10, 0, 2},
		"payment":                 {"payment", 4, 4, 1, 0},
		"balance (no key)":        {"balance (no key)", 12, 12, 1, 1},
		"follow-up step":          {"follow-up step", 4, 4, 0, 0},
		"receipt":                 {"receipt", 4, 4, 0, 0},
		"invoice (two runs each)": {"invoice (two runs each)", 2, 2, 0, 0},
	}
	if !maps.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// database makes one with the soak's tables, runs sql in it and returns a session.
func database(t *testing.T, sql string) *pgx.Conn {
	t.Helper()
	pool := pgtest.New(t, pgtest.Migrated("soak", prepare))
	acquired, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(acquired.Release)
	exec(t, pool, sql)
	return acquired.Conn()
}

func exec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}
