package commit

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/lease"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/step"
	"github.com/idem-go/idem/runtime/internal/store"
	"github.com/idem-go/idem/runtime/pgtest"
)

// migrate makes the runtime's tables.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	files, err := filepath.Glob("../../../migrations/*.sql")
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
		if _, err := pool.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// bench is a database, and a worker's care for steps of it, without a worker.
type bench struct {
	testing.TB
	pool   *pgxpool.Pool
	keeper *lease.Keeper
	places places
	events chan lifecycle.Event
}

// places is where the steps of a test come from.
type places chan int

// Put implements [lease.Place].
func (p places) Put(n int) { p <- n }

// Announce implements [lease.Place].
func (p places) Announce() {}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{TB: t, pool: pgtest.New(t, pgtest.Migrated("commit", migrate)), places: make(places, 100), events: make(chan lifecycle.Event, 100)}
	log, sql := slog.New(slog.DiscardHandler), store.NewStatements(store.DefaultSchema)
	host := &step.Host{
		Session: &store.Session{
			SQL: sql, Schema: store.DefaultSchema, Log: log, Observer: func(e lifecycle.Event) { b.events <- e }, Within: time.Minute,
			Handlers: b.pool, Control: b.pool,
		},
		Name: "bench", Steps: t.Context(), Lasting: t.Context(),
	}
	b.keeper = &lease.Keeper{
		Host: host, Notifier: &store.Notifier{DB: b.pool, SQL: sql, Log: log, Off: true}, Queue: func(string) lease.Place { return nil },
	}
	return b
}

// held returns n steps that a claim has taken, and whose handler has run and written nothing.
func (b *bench) held(h *step.Handler, n int) []*lease.Held {
	b.Helper()
	steps := make([]*lease.Held, n)
	for i := range steps {
		s := &lease.Held{Epoch: int64(i + 1), Place: b.places, Step: step.Step{
			RunID: fmt.Sprintf("run_%d", i), Node: h.Node, Attempt: 1, MaxAttempts: 3, Handler: h, Started: time.Now(),
		}}
		if err := b.pool.QueryRow(b.Context(), `INSERT INTO idem.steps
			(run_id, node, queue, state, epoch, max_attempts, input, input_digest, lease_expires_at)
			VALUES ($1, $2, $3, 'running', $4, $5, '{}', sha256('{}'), now() + interval '1 hour') RETURNING id`,
			s.RunID, s.Node, h.Queue, s.Epoch, s.MaxAttempts).Scan(&s.ID); err != nil {
			b.Fatal(err)
		}
		b.keeper.Hold(s)
		if err := s.Enter(step.New(b.keeper.Host, &s.Step)); err != nil {
			b.Fatal(err)
		}
		steps[i] = s
	}
	return steps
}

func (b *bench) completed() (n int) {
	b.Helper()
	if err := b.pool.QueryRow(b.Context(), `SELECT count(*) FROM idem.steps WHERE state = 'completed'`).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}
