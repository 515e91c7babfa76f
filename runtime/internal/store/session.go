package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/failure"
	"github.com/idem-go/idem/runtime/internal/lifecycle"
	"github.com/idem-go/idem/runtime/internal/pace"
)

// Execer is the least that a row is written with: a transaction of pgx, a connection, a pool.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// DB is what statements are run with: a pool, or anything like it.
type DB interface {
	Execer
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Session is how whoever runs steps talks to the database, and whom it tells of it.
type Session struct {
	SQL      *Statements
	Schema   string
	Log      *slog.Logger
	Observer func(lifecycle.Event) // nil: nobody is told
	Within   time.Duration         // what one statement of the runtime's may take; zero: as long as it likes

	Handlers *pgxpool.Pool // for handlers' own statements
	Control  *pgxpool.Pool // for claims, heartbeats, sweeps and completions: handlers cannot starve them
	Aside    *pgxpool.Pool // for short statements of companions, which hold no connection while they wait for others
}

// Close closes the pools.
func (s *Session) Close() {
	for _, pool := range []*pgxpool.Pool{s.Handlers, s.Control, s.Aside} {
		if pool != nil {
			pool.Close()
		}
	}
}

// Observe tells the observer, if there is one.
func (s *Session) Observe(e lifecycle.Event) {
	if s.Observer != nil {
		s.Observer(e)
	}
}

// Bound returns ctx for one statement of the runtime's.
func (s *Session) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Within <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.Within)
}

// Stubborn repeats op until it succeeds, ctx ends, or its error is the statement's own. The pauses grow
// to two seconds, with jitter, so that workers do not come back to a restarted server all at once.
func (s *Session) Stubborn(ctx context.Context, what string, op func(context.Context) error) error {
	for try := 1; ; try++ {
		within, cancel := s.Bound(ctx)
		err := op(within)
		cancel()
		if err == nil || failure.Of(err) == failure.Statement || failure.Of(err) == failure.LeaseLost {
			return err
		}
		if try == 1 || try%20 == 0 {
			s.Log.Warn("idem: the database does not take writes, trying again", "what", what, "try", try, "error", err)
		}
		s.refused(err)
		if !pace.Pause(ctx, pace.Jitter(pace.Backoff(50*time.Millisecond, try, 2*time.Second))) {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// Unreachable reports that the database did not do what was asked of it, without flooding the log.
func (s *Session) Unreachable(what string, failures int, err error) {
	if failures == 1 || failures%20 == 0 {
		s.Log.Warn("idem: the database cannot be used, trying again", "what", what, "failures", failures, "error", err)
	}
	s.refused(err)
}

func (s *Session) refused(err error) {
	s.Observe(lifecycle.Event{Kind: lifecycle.EventUnreachable, Err: err})
	s.ForgetDemoted(err)
}

// ForgetDemoted drops all connections when the server has become read-only.
func (s *Session) ForgetDemoted(err error) {
	if !failure.Demoted(err) {
		return
	}
	for _, pool := range []*pgxpool.Pool{s.Control, s.Handlers, s.Aside} {
		if pool != nil {
			pool.Reset()
		}
	}
}

// Verify returns [failure.ErrSchemaVersion] where the database's schema does not serve this version. It needs no
// rights beyond using the schema.
func Verify(ctx context.Context, db DB, sql *Statements) error {
	var have int
	err := db.QueryRow(ctx, sql.Version).Scan(&have)
	switch {
	case err != nil && failure.NoSchema(err):
		pg, _ := errors.AsType[*pgconn.PgError](err)
		return fmt.Errorf("%w (%s)", failure.ErrSchemaVersion, pg.Message)
	case err != nil:
		return err
	case have < SchemaVersion:
		return fmt.Errorf("%w (it has version %d, %d is needed)", failure.ErrSchemaVersion, have, SchemaVersion)
	}
	return nil
}

// RawBytes takes a json column's bytes as they are.
type RawBytes []byte

// ScanBytes implements [pgtype.BytesScanner].
func (b *RawBytes) ScanBytes(v []byte) error {
	*b = append([]byte(nil), v...)
	return nil
}
