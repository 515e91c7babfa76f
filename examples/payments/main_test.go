package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/examples/payments/migrations"
	schema "github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/pgtest"
)

func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := schema.Up(ctx, pool, schema.DefaultSchema); err != nil {
		return err
	}
	texts, err := migrations.SQL()
	if err != nil {
		return err
	}
	for _, text := range texts {
		if _, err := pool.Exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// service is the program against a database of its own, with a worker running.
type service struct {
	*testing.T
	pool *pgxpool.Pool
}

func startService(t *testing.T) *service {
	pool := pgtest.New(t, pgtest.Migrated("payments", migrate))
	t.Setenv("DATABASE_URL", pool.Config().ConnString())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"work"}, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("worker: %v", err)
		}
	})
	return &service{t, pool}
}

// payments runs a command of the program and gives what it prints.
func (s *service) payments(args ...string) string {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	var out strings.Builder
	if err := run(ctx, args, &out); err != nil {
		s.Fatalf("payments %s: %v", strings.Join(args, " "), err)
	}
	return out.String()
}

// becomes waits until a query gives the wanted number.
func (s *service) becomes(want int, sql string, args ...any) {
	s.Helper()
	var n int
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err := s.pool.QueryRow(s.Context(), sql, args...).Scan(&n); err != nil {
			s.Fatal(err)
		}
		if n == want {
			return
		}
	}
	s.Fatalf("%s gives %d, want %d", sql, n, want)
}

func TestCommands(t *testing.T) {
	s := startService(t)

	first := s.payments("charge", "ann", "1250", "key-1")
	again := s.payments("charge", "ann", "1250", "key-1")
	if want := strings.TrimSpace(first) + " (enqueued before)\n"; again != want {
		t.Errorf("the same key again prints %q, want %q", again, want)
	}
	s.becomes(1, `SELECT count(*) FROM ledger WHERE user_id = 'ann' AND amount_cents = 1250`)

	s.payments("order", "o-1", "bob", "990")
	s.payments("order", "o-1", "bob", "990")
	s.becomes(1, `SELECT count(*) FROM receipts WHERE order_id = 'o-1' AND body LIKE '%9.90%'`)
	s.becomes(990, `SELECT owed_cents FROM accounts WHERE user_id = 'bob'`)

	for _, created := range []bool{true, false} {
		if got, want := s.payments("invoice", "o-1", "990"), fmt.Sprintf("invoice 1 (created now: %t)\n", created); got != want {
			t.Errorf("invoice prints %q, want %q", got, want)
		}
	}
	if got, want := s.payments("foreign", "eve", "eur", "10"), "charged 1080 cents\n"; got != want {
		t.Errorf("foreign prints %q, want %q", got, want)
	}
	run := strings.Fields(first)[1]
	if got := s.payments("show", run); !strings.Contains(got, "charge") || !strings.Contains(got, "completed") {
		t.Errorf("show prints %q, want a completed charge", got)
	}
}

func TestRefusals(t *testing.T) {
	s := startService(t)
	s.payments("invoice", "o-2", "100")
	var out strings.Builder
	if err := run(s.Context(), []string{"invoice", "o-2", "200"}, &out); err == nil || !strings.Contains(err.Error(), "payload_mismatch") {
		t.Errorf("a second total for an order gives %v, want payload_mismatch", err)
	}
	if err := run(s.Context(), []string{"foreign", "eve", "xyz", "1"}, &out); err == nil || !strings.Contains(err.Error(), "permanent") {
		t.Errorf("an unknown currency gives %v, want it discarded as permanent", err)
	}
	if err := run(s.Context(), []string{"charge", "ann"}, &out); err == nil {
		t.Error("too few arguments pass")
	}
}
