package watermillsender_test

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/migrations"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(childURL) != "" {
		childRelay()
		return
	}
	code := m.Run()
	_ = pgtest.Close()
	os.Exit(code)
}

func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := migrations.Up(ctx, pool, migrations.DefaultSchema); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, eventsMigration)
	return err
}

// bench is a database with an outbox of events.
type bench struct {
	*testing.T
	pool *pgxpool.Pool
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{t, pgtest.New(t, pgtest.Migrated("watermillsender", migrate))}
}

// quick are times at which a test does not wait long.
func quick() outbox.Config {
	return outbox.Config{
		SendTimeout: 20 * time.Second, Lease: time.Minute, Backoff: 20 * time.Millisecond, MaxBackoff: 100 * time.Millisecond,
		Poll: 30 * time.Millisecond, BreakFor: 50 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
	}
}

// relay runs a relay until the test ends, or until the function that it returns is called.
func (b *bench) relay(sender outbox.Sender) (stop func()) {
	b.Helper()
	r, err := NewEventRelay(b.pool, sender, quick())
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			b.Errorf("relay: %v", err)
		}
	})
	b.Cleanup(stop)
	return stop
}

func (b *bench) queue(key string, row Event) {
	b.Helper()
	if err := QueueEventTx(context.Background(), b.pool, key, row); err != nil {
		b.Fatal(err)
	}
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

// eventually waits for a condition that somebody else brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

// delivered waits until n commands are delivered.
func (b *bench) delivered(n int) {
	b.Helper()
	eventually(b.T, "all commands are delivered", func() bool {
		return b.count(`SELECT count(*) FROM events WHERE state = 'delivered'`) == n
	})
}
