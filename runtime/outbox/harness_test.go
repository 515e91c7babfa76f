package outbox_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
	"github.com/idem-go/idem/runtime/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(childURL) != "" {
		childRelay()
		return
	}
	goleak.VerifyTestMain(m)
}

// migrate builds the template of the tests' databases.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	files, err := filepath.Glob("../../migrations/*.sql")
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
	for _, sql := range append(statements, webhookMigration, pingMigration, noteMigration) {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}

// bench is a database with outboxes, and what a test runs on it.
type bench struct {
	testing.TB
	pool   *pgxpool.Pool
	events *recorder
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return &bench{TB: t, pool: pgtest.New(t, pgtest.Migrated("outbox", migrate)), events: &recorder{}}
}

// quick are times at which a test does not wait long.
func quick() outbox.Config {
	return outbox.Config{
		SendTimeout: 5 * time.Second, Lease: time.Minute, Backoff: 20 * time.Millisecond, MaxBackoff: 100 * time.Millisecond,
		Poll: 30 * time.Millisecond, BreakFor: 50 * time.Millisecond, Shutdown: 2 * time.Second,
	}
}

// newRelay is a generated constructor.
type newRelay func(*pgxpool.Pool, outbox.Sender, outbox.Config) (*outbox.Relay, error)

// relay runs a relay until the test ends, or until the function that it returns is called.
func (b *bench) relay(make newRelay, sender outbox.Sender, cfg outbox.Config) (stop func()) {
	b.Helper()
	return b.relayOn(b.pool, make, sender, cfg)
}

func (b *bench) relayOn(pool *pgxpool.Pool, make newRelay, sender outbox.Sender, cfg outbox.Config) (stop func()) {
	b.Helper()
	if cfg.Observer == nil {
		cfg.Observer = b.events
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	r, err := make(pool, sender, cfg)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := errs(func() error { return r.Run(ctx) })
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				b.Errorf("relay: %v", err)
			}
		})
	}
	b.Cleanup(stop)
	return stop
}

func errs(f func() error) <-chan error {
	c := make(chan error, 1)
	go func() { c <- f() }()
	return c
}

func (b *bench) exec(sql string, args ...any) {
	b.Helper()
	if _, err := b.pool.Exec(context.Background(), sql, args...); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) count(sql string, args ...any) (n int) {
	b.Helper()
	if err := b.pool.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// patience is how long a test waits for what has to happen: much longer than it takes on a machine that does much else.
const patience = 2 * time.Minute

// eventually waits for a condition that another goroutine brings about.
func (b *bench) eventually(what string, ok func() bool) {
	b.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(3 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("never happened: %s", what)
		}
	}
}

// settled waits until n commands of a table have ended.
func (b *bench) settled(table string, n int) {
	b.Helper()
	b.eventually(fmt.Sprintf("%d commands of %s have ended", n, table), func() bool {
		return b.count(`SELECT count(*) FROM `+table+` WHERE state <> 'pending'`) == n
	})
}

// row is what a test looks at of a command.
type row struct {
	ID, State, Error string
	Attempts         int
	Receipt          []byte
}

func (b *bench) rows(table string) (all []row) {
	b.Helper()
	rows, err := b.pool.Query(context.Background(), `SELECT command_id, state, COALESCE(last_error, ''), attempts, receipt FROM `+table+` ORDER BY created_at, command_id`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.ID, &r.State, &r.Error, &r.Attempts, &r.Receipt); err != nil {
			b.Fatal(err)
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return all
}

// only returns the one command that there is.
func (b *bench) only(table string) row {
	b.Helper()
	all := b.rows(table)
	if len(all) != 1 {
		b.Fatalf("%d rows in %s, want one", len(all), table)
	}
	return all[0]
}

func (b *bench) queuePing(key, url string, n int) {
	b.Helper()
	if err := QueuePingTx(context.Background(), b.pool, key, Ping{URL: url, N: n}); err != nil {
		b.Fatal(err)
	}
}

// recorder keeps a relay's events.
type recorder struct {
	mu     sync.Mutex
	events []outbox.Event
}

func (r *recorder) Observe(e outbox.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// of returns the events of a kind.
func (r *recorder) of(kind outbox.EventKind) (found []outbox.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

// observed waits for n events of a kind, and makes sure that they are not more.
func (b *bench) observed(kind outbox.EventKind, n int) {
	b.Helper()
	b.eventually(fmt.Sprintf("%d events %s", n, kind), func() bool { return len(b.events.of(kind)) >= n })
	if got := len(b.events.of(kind)); got != n {
		b.Errorf("%d events %s, want %d", got, kind, n)
	}
}

// request is one request that the ledger has seen.
type request struct {
	ID, Path string
	Body     []byte
	Header   http.Header
	At       time.Time
}

// ledger is a receiver that honours keys: it keeps every request, and does each command once.
type ledger struct {
	*httptest.Server
	// answer decides about the n-th request of a command, from 1. 0: take it, and answer 200. 1: take it, and drop the
	// answer. Other values are the status of an answer without taking it.
	answer func(n int, r request) int
	header http.Header // of every answer

	mu       sync.Mutex
	requests []request
	effects  map[string][]byte
}

const dropAnswer = 1

func newLedger(t testing.TB) *ledger {
	l := &ledger{effects: map[string][]byte{}, header: http.Header{}}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	seen := request{ID: r.Header.Get("Idempotency-Key"), Path: r.URL.Path, Body: body, Header: r.Header.Clone(), At: time.Now()}
	n, answer := l.keep(seen)
	status := http.StatusOK
	if answer != nil {
		if s := answer(n, seen); s > dropAnswer {
			status = s
		} else if s == dropAnswer {
			status = 0
		}
	}
	if status == 0 || status == http.StatusOK {
		known, same := l.take(seen)
		if known && !same {
			status = http.StatusUnprocessableEntity
		}
	}
	if status == 0 {
		panic(http.ErrAbortHandler)
	}
	for name, values := range l.header {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "receipt of %s", seen.ID)
}

func (l *ledger) keep(r request) (n int, answer func(int, request) int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
	for _, seen := range l.requests {
		if seen.ID == r.ID {
			n++
		}
	}
	return n, l.answer
}

func (l *ledger) take(r request) (known, same bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	body, known := l.effects[r.ID]
	if !known {
		l.effects[r.ID] = r.Body
	}
	return known, bytes.Equal(body, r.Body)
}

// seen returns the requests of a command; all of them without an id.
func (l *ledger) seen(id string) []request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.requests), func(r request) bool { return id != "" && r.ID != id })
}

func (l *ledger) effectCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.effects)
}

// is checks what the catalogue calls PR and PE.
func (l *ledger) is(t testing.TB, requests, effects int) {
	t.Helper()
	if r, e := len(l.seen("")), l.effectCount(); r != requests || e != effects {
		t.Errorf("the receiver saw %d requests and has %d effects, want %d and %d", r, e, requests, effects)
	}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// post makes a sender that may send to this machine.
func post(t testing.TB, change ...func(*httpsender.Config)) *httpsender.Sender {
	t.Helper()
	cfg := httpsender.Config{AllowHTTP: true, AllowNetworks: loopback, Timeout: 3 * time.Second}
	for _, c := range change {
		c(&cfg)
	}
	s, err := httpsender.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseIdleConnections)
	return s
}

// toLedger sends commands without a destination to l.
func toLedger(l *ledger) func(*httpsender.Config) {
	return func(c *httpsender.Config) { c.URL = l.URL }
}

func replaceURL(text, url string) string { return strings.ReplaceAll(text, "URL", url) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
