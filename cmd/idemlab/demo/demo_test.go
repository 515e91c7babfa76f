package demo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/idem-go/idem/cmd/idemlab/fleet"
	"github.com/idem-go/idem/runtime/pgtest"
)

// TestMain serves as the worker process too, as idemlab does.
func TestMain(m *testing.M) {
	if url := os.Getenv(WorkerEnv); url != "" {
		work := func(ctx context.Context) error { return Work(ctx, url, os.Stdout) }
		if err := fleet.Serve(context.Background(), work); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestDemoKillsWorkersAndLosesNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	report, err := Run(t.Context(), Options{Runs: 200, Workers: 3, Kills: 5, Seed: 1}, &out, false)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !report.Fine() || report.Kills != 5 {
		t.Errorf("report: %+v\n%s", report, out.String())
	}
	// The demonstration proves nothing if no handler was hit.
	if report.KilledInside == 0 || report.Reclaims == 0 || report.Repeated == 0 {
		t.Errorf("no handler was interrupted: %+v", report)
	}
	var table strings.Builder
	if err := report.Write(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"workers killed", "ledger rows", "0 duplicates, 0 lost"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, table.String())
		}
	}
}

// TestCountSeesWhatWentWrong plants a duplicate and a loss of each kind: a count that cannot fail proves nothing.
func TestCountSeesWhatWentWrong(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t, pgtest.Migrated("demo", prepare))
	work := workload{charges: 2, orders: 2, invoices: 1}
	const digest = `decode(repeat('00', 32), 'hex')`
	for _, sql := range []string{
		`INSERT INTO ledger (run_id, node, payload_digest, user_id, amount_cents) VALUES
			('a', 'charge', ` + digest + `, 'user-0', 1000), ('b', 'charge', ` + digest + `, 'user-0', 1000)`,
		`INSERT INTO payments (run_id, node, payload_digest, order_id, user_id, amount_cents) VALUES
			('c', 'n', ` + digest + `, 'order-0', 'buyer-0', 1000), ('d', 'n', ` + digest + `, 'order-1', 'buyer-1', 1001)`,
		`INSERT INTO accounts (user_id, owed_cents) VALUES ('buyer-0', 2000), ('buyer-1', 1001)`,
		`INSERT INTO receipts (run_id, node, payload_digest, order_id, body) VALUES ('e', 'n', ` + digest + `, 'order-0', 'x')`,
	} {
		plant(t, pool, sql)
	}
	report, err := count(t.Context(), pool, work)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]int{ // duplicates, lost
		"ledger rows":                        {1, 1},
		"payments":                           {0, 0},
		"amounts added to accounts (no key)": {1, 0},
		"receipts that follow an order":      {0, 1},
		"invoices":                           {0, 1},
	}
	for _, e := range report.Effects {
		if got := [2]int{e.Duplicates, e.Lost}; got != want[e.Name] {
			t.Errorf("%s: duplicates and lost are %v, want %v", e.Name, got, want[e.Name])
		}
	}
	if report.Fine() || strings.Contains(report.verdict(), "every effect happened once") {
		t.Errorf("the verdict is %q", report.verdict())
	}
}

func plant(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}
