package migrations

import (
	"context"
	"database/sql"
	"errors"
	"hash/fnv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// Change is a migration that a call has made.
type Change struct {
	Version  int64
	Name     string
	Duration time.Duration
}

// Up applies every version that schema does not have yet, and makes the schema when it is not there. It returns what it
// did, also when it fails half-way: versions that were applied stay applied.
//
// pool tells how to connect; the connections are Up's own.
func Up(ctx context.Context, pool *pgxpool.Pool, schema string) ([]Change, error) {
	return run(ctx, pool, "up", schema, func(p *goose.Provider) ([]*goose.MigrationResult, error) { return p.Up(ctx) })
}

// Down takes back every version above to, and with the tables all that is in them; 0 takes back everything. The schema
// itself stays, with its table of applied versions.
func Down(ctx context.Context, pool *pgxpool.Pool, schema string, to int64) ([]Change, error) {
	if to < 0 || to > Version {
		return nil, &VersionError{Version: to}
	}
	return run(ctx, pool, "down", schema, func(p *goose.Provider) ([]*goose.MigrationResult, error) { return p.DownTo(ctx, to) })
}

// run holds the schema's lock while migrate works.
func run(ctx context.Context, pool *pgxpool.Pool, op, name string, migrate func(*goose.Provider) ([]*goose.MigrationResult, error),
) (changes []Change, err error) {
	s, err := newSchema(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = explain(err, op, s)
		}
	}()
	// A pool of our own: the caller's may have no two connections to spare.
	config := pool.Config()
	config.MinConns, config.MinIdleConns, config.MaxConns = 0, 0, 2
	own, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	defer own.Close()

	locked, err := lock(ctx, own, s)
	if err != nil {
		return nil, err
	}
	defer func() { _ = locked.Rollback(context.WithoutCancel(ctx)) }()
	ready, err := prepare(ctx, own, s, op == "up")
	if err != nil || !ready {
		return nil, err
	}
	db := stdlib.OpenDBFromPool(own)
	defer func() { _ = db.Close() }()
	provider, err := newProvider(db, s)
	if err != nil {
		return nil, err
	}
	results, err := migrate(provider)
	if partial := (*goose.PartialError)(nil); errors.As(err, &partial) {
		results = partial.Applied
	}
	return changesOf(results), err
}

// lock waits for the transaction that says who may migrate this schema. A transaction's lock, unlike a session's, is safe
// behind a pooler. It is asked for again and again, not waited for inside a statement, whose snapshot would keep a CREATE
// INDEX CONCURRENTLY of the one who has it from ever ending.
func lock(ctx context.Context, pool *pgxpool.Pool, s schema) (pgx.Tx, error) {
	for {
		tx, err := pool.Begin(ctx)
		if err != nil {
			return nil, err
		}
		got := false
		if _, err = tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0"); err == nil {
			err = tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1::bigint)", lockKey(s)).Scan(&got)
		}
		if got {
			return tx, nil
		}
		_ = tx.Rollback(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func lockKey(s schema) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("idem migrations " + s))
	return int64(h.Sum64())
}

// prepare sees to the schema and the table of applied versions, and tells whether they are there. Postgres asks for the
// right to create a schema even where it exists, so it is looked for first.
func prepare(ctx context.Context, pool *pgxpool.Pool, s schema, create bool) (bool, error) {
	for _, part := range []struct{ exists, create string }{{schemaExists, createSchema}, {tableExists, createTable}} {
		var exists bool
		if err := pool.QueryRow(ctx, part.exists, string(s)).Scan(&exists); err != nil {
			return false, err
		}
		if exists {
			continue
		}
		if !create {
			return false, nil
		}
		if _, err := pool.Exec(ctx, s.render(part.create)); err != nil {
			return false, err
		}
	}
	return true, nil
}

func newProvider(db *sql.DB, s schema) (*goose.Provider, error) {
	var list []*goose.Migration
	for _, m := range all {
		list = append(list, goose.NewGoMigration(m.version, statement(s, m.up), statement(s, m.down)))
	}
	return goose.NewProvider(goose.DialectCustom, db, nil,
		goose.WithStore(store{s}), goose.WithGoMigrations(list...), goose.WithDisableGlobalRegistry(true))
}

// statement runs one direction of a file as a whole, exactly as [Print] would show it.
func statement(s schema, part string) *goose.GoFunc {
	return &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, s.render(plain(part)))
		return err
	}}
}

func changesOf(results []*goose.MigrationResult) []Change {
	var changes []Change
	for _, r := range results {
		changes = append(changes, Change{r.Source.Version, nameOf(r.Source.Version), r.Duration})
	}
	return changes
}

func nameOf(version int64) string {
	for _, m := range all {
		if m.version == version {
			return m.name
		}
	}
	return ""
}

// explain makes an *Error of what went wrong.
func explain(err error, op string, s schema) error {
	e := &Error{Op: op, Schema: string(s), Err: err}
	switch partial := (*goose.PartialError)(nil); {
	case errors.As(err, &partial):
		e.Version, e.Err = partial.Failed.Source.Version, partial.Err
	case errors.Is(err, goose.ErrVersionNotFound):
		e.Err = ErrNewer
	}
	return e
}
