package runtime

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/pgtest"
)

func TestMain(m *testing.M) {
	if run := children[os.Getenv(childEnv)]; run != nil {
		run()
		return
	}
	// The tests wait more than they compute, for leases and for each other. -parallel overrides this.
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// testSchema is what the tests' handlers write to: a ledger as idem generates it, a table of accounts
// without any key, on which a second execution of the same write would show, and a list of the handlers' runs.
const testSchema = `
CREATE TABLE ledger (
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT ledger_payload_check CHECK (octet_length(payload_digest) = 32),
    user_id text NOT NULL, amount bigint NOT NULL CHECK (amount >= 0), charged_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ledger_idem_key PRIMARY KEY (run_id, node));
CREATE TABLE invoices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT invoices_payload_check CHECK (octet_length(payload_digest) = 32),
    order_id text COLLATE "C" NOT NULL, total bigint NOT NULL,
    CONSTRAINT invoices_idem_key UNIQUE (order_id));
CREATE TABLE lines (
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT lines_payload_check CHECK (octet_length(payload_digest) = 32),
    sku text COLLATE "C" NOT NULL, n bigint NOT NULL,
    CONSTRAINT lines_idem_key PRIMARY KEY (run_id, node, sku));
CREATE TABLE accounts (user_id text PRIMARY KEY, balance bigint NOT NULL DEFAULT 0);
CREATE TABLE runs (run_id text NOT NULL, node text NOT NULL, attempt integer NOT NULL);
CREATE TABLE strict (n bigint, CONSTRAINT strict_once UNIQUE (n) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO accounts (user_id) VALUES ('ann');`

var ledger = idemimpl.Effect{
	Table: `"ledger"`, Columns: []string{"user_id", "amount", "charged_at"}, Guard: "ledger_payload_check",
	InsertSQL: `INSERT INTO "ledger" AS t ("run_id", "node", "payload_digest", "user_id", "amount", "charged_at")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint, COALESCE($6::timestamptz, now()))
ON CONFLICT ("run_id", "node") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	GroupSQL: `INSERT INTO "ledger" AS t ("run_id", "node", "payload_digest", "user_id", "amount", "charged_at")
SELECT v."run_id", v."node", v."payload_digest", v."user_id", v."amount", COALESCE(v."charged_at", now())
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::bigint[], $6::timestamptz[])
  AS v ("run_id", "node", "payload_digest", "user_id", "amount", "charged_at")
ON CONFLICT ("run_id", "node") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	ReturningSQL: ` RETURNING "user_id", "amount", "charged_at"`,
	SelectSQL:    `SELECT "user_id", "amount", "charged_at" FROM "ledger" WHERE "run_id" = $1::text AND "node" = $2::text`,
}

var invoices = idemimpl.Effect{
	Table: `"invoices"`, Columns: []string{"order_id", "total"}, Key: []int{0}, Business: true, Guard: "invoices_payload_check",
	InsertSQL: `INSERT INTO "invoices" AS t ("run_id", "node", "payload_digest", "order_id", "total")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)
ON CONFLICT ("order_id") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	ReturningSQL: ` RETURNING "id", "order_id", "total"`,
	SelectSQL:    `SELECT "id", "order_id", "total" FROM "invoices" WHERE "order_id" = $1::text`,
}

var lines = idemimpl.Effect{
	Table: `"lines"`, Columns: []string{"sku", "n"}, Key: []int{0}, Guard: "lines_payload_check",
	InsertSQL: `INSERT INTO "lines" AS t ("run_id", "node", "payload_digest", "sku", "n")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)
ON CONFLICT ("run_id", "node", "sku") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
}

type charge struct {
	User   string
	Amount int64
}

func recordCharge(ctx Context, in charge) error {
	return ledger.Record(ctx, in.User, in.Amount, nil)
}

// migrate builds the template of the tests' databases.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if err := migrateSchema(ctx, pool, DefaultSchema); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, testSchema)
	return err
}

// migrateSchema makes the runtime's tables in a schema.
func migrateSchema(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	files, err := filepath.Glob("../migrations/*.sql")
	if err != nil {
		return err
	}
	statements := []string{`CREATE SCHEMA "idem"`}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		up, _, _ := strings.Cut(string(file), "-- +goose Down")
		statements = append(statements, up)
	}
	for _, sql := range statements {
		if _, err := pool.Exec(ctx, strings.ReplaceAll(sql, `"idem"`, pgx.Identifier{schema}.Sanitize())); err != nil {
			return err
		}
	}
	return nil
}

// bench is a database with the runtime's tables, and what a test runs on it.
type bench struct {
	testing.TB
	pool   *pgxpool.Pool
	client *Client
	reg    *Registry
	events *recorder
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return newBenchOn(t, pgtest.New(t, pgtest.Migrated("runtime", migrate)))
}

// newBenchOn is [newBench] on a database that has been migrated.
func newBenchOn(t testing.TB, pool *pgxpool.Pool) *bench {
	return &bench{TB: t, pool: pool, client: NewClient(pool, WithClientLogger(slog.New(slog.DiscardHandler))), reg: NewRegistry(), events: &recorder{}}
}

// quick are times at which a test does not wait long for a lease to run out.
func quick() Config {
	return Config{
		Lease: 1200 * time.Millisecond, Heartbeat: 200 * time.Millisecond, Sweep: 100 * time.Millisecond, Poll: 50 * time.Millisecond,
		Grace: 150 * time.Millisecond, Shutdown: 3 * time.Second,
	}
}

// slow is for tests that must not see a reclaim.
func slow() Config {
	c := quick()
	c.Lease, c.Heartbeat = time.Minute, 10*time.Second
	return c
}

const testTimeout = 800 * time.Millisecond

// work runs a worker until the test ends, or until the function that it returns is called.
func (b *bench) work(cfg Config) (stop func()) {
	b.Helper()
	stop, _ = b.workOn(b.pool, cfg)
	return stop
}

func (b *bench) workOn(pool *pgxpool.Pool, cfg Config) (stop func(), w *Worker) {
	b.Helper()
	if cfg.Observer == nil {
		cfg.Observer = b.events
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	w = must[*Worker](b)(NewWorker(pool, b.reg, cfg))
	return b.run(w), w
}

// run runs a worker until the test ends, or until the function that it returns is called.
func (b *bench) run(w *Worker) (stop func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				b.Errorf("worker: %v", err)
			}
		})
	}
	b.Cleanup(stop)
	return stop
}

// patience is how long a test waits for what has to happen: much longer than it takes on a machine that does much else.
const patience = 2 * time.Minute

// wait returns the run's step once it has ended.
func (b *bench) wait(run Run) StepStatus {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := b.client.Wait(ctx, run)
	if err != nil {
		b.Fatalf("waiting for run %s: %v; it is %+v", run.ID, err, s)
	}
	return s
}

// count returns a number from the database.
func (b *bench) count(sql string, args ...any) (n int) {
	b.Helper()
	if err := b.pool.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

func (b *bench) exec(sql string, args ...any) {
	b.Helper()
	if _, err := b.pool.Exec(context.Background(), sql, args...); err != nil {
		b.Fatal(err)
	}
}

// eventually waits for a condition that another goroutine brings about.
func (b *bench) eventually(what string, ok func() bool) {
	b.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("never happened: %s", what)
		}
	}
}

// is checks a step's end.
func (b *bench) is(s StepStatus, state State, reason Reason, attempt, reclaims int) {
	b.Helper()
	if s.State != state || s.Reason != reason || s.Attempt != attempt || s.Reclaims != reclaims {
		b.Errorf("step is %s (%s) with attempt %d and %d reclaims, want %s (%s), %d and %d; error: %s",
			s.State, s.Reason, s.Attempt, s.Reclaims, state, reason, attempt, reclaims, s.Error)
	}
}

// effects checks how many rows of the ledger a run has.
func (b *bench) effects(run Run, want int) {
	b.Helper()
	if n := b.count(`SELECT count(*) FROM ledger WHERE run_id = $1 AND node = $2`, run.ID, run.Node); n != want {
		b.Errorf("run %s has %d ledger rows, want %d", run.ID, n, want)
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// recorder keeps a worker's events.
type recorder struct {
	mu     sync.Mutex
	events []Event
}

func (r *recorder) Observe(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// of returns the events of a kind.
func (r *recorder) of(kind EventKind) (found []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}
