package pgtest

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// TB is the part of testing.TB that this package needs; every *testing.T, *testing.B and *testing.F is one.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// cleanupTimeout bounds what happens after a test, so that a broken one cannot hang the run.
const cleanupTimeout = 30 * time.Second

// New returns the test a pool on a fresh database of its own. At the test's end the pool is closed and the database dropped.
func New(tb TB, opts ...Option) *pgxpool.Pool {
	tb.Helper()
	return open(tb, URL(tb, opts...))
}

// URL is [New] for those who connect themselves: the connection string of a fresh database.
func URL(tb TB, opts ...Option) string {
	tb.Helper()
	s, err := Shared(context.Background())
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return s.databaseFor(tb, opts)
}

// Own starts a server for one test alone, for it to crash and restart; it is stopped at the test's end. It is one of our
// own even when IDEM_DATABASE_URL is set.
func Own(tb TB, opts ...ServerOption) *Server {
	tb.Helper()
	s, err := Start(context.Background(), append(opts, Private())...)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	tb.Cleanup(func() {
		if err := s.Stop(); err != nil {
			tb.Errorf("stopping the throwaway Postgres: %v", err)
		}
	})
	return s
}

// New is the function [New] on this server.
func (s *Server) New(tb TB, opts ...Option) *pgxpool.Pool {
	tb.Helper()
	return open(tb, s.databaseFor(tb, opts))
}

func (s *Server) databaseFor(tb TB, opts []Option) string {
	tb.Helper()
	url, err := s.NewDatabase(context.Background(), opts...)
	if err != nil {
		tb.Fatalf("a database for the test: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		if err := s.DropDatabase(ctx, url); err != nil && s.keeper == nil { // our own server takes it along
			tb.Logf("dropping the test's database: %v", err)
		}
	})
	return url
}

// open connects a pool that does not run dry in a test with a few dozen goroutines.
func open(tb TB, url string) *pgxpool.Pool {
	tb.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	config.MaxConns = max(config.MaxConns, 16)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	tb.Cleanup(func() { closePool(tb, pool) })
	return pool
}

// closePool reports connections that the test did not give back, which Close would wait for without end.
func closePool(tb TB, pool *pgxpool.Pool) {
	tb.Helper()
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(cleanupTimeout):
		tb.Errorf("%d connections of the test's pool were never given back; are there rows that were not closed?",
			pool.Stat().AcquiredConns())
	}
}
