package pgtest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/pgtest"
)

var ctx = context.Background()

func exec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(ctx, sql); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, pool *pgxpool.Pool, sql string) (n int) {
	t.Helper()
	if err := pool.QueryRow(ctx, sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func names(t *testing.T, s *pgtest.Server) []string {
	t.Helper()
	names, err := s.Names(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestEveryTestHasADatabaseOfItsOwn(t *testing.T) {
	for range 2 { // the second finds nothing of the first
		t.Run("", func(t *testing.T) { exec(t, pgtest.New(t), "CREATE TABLE t ()") })
	}
}

func TestTheDatabaseGoesWithTheTest(t *testing.T) {
	s, err := pgtest.Shared(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	t.Run("", func(t *testing.T) {
		pool := pgtest.New(t)
		name = pool.Config().ConnConfig.Database
		if !slices.Contains(names(t, s), name) {
			t.Errorf("%s is not among %v", name, names(t, s))
		}
		// A connection that the test forgot must not keep the database.
		if _, err := pgx.Connect(ctx, s.URL(name)); err != nil {
			t.Error(err)
		}
	})
	if slices.Contains(names(t, s), name) {
		t.Errorf("%s is still there after its test", name)
	}
}

func TestMigratedBuildsOnce(t *testing.T) {
	var built atomic.Int32
	build := func(ctx context.Context, pool *pgxpool.Pool) error {
		built.Add(1)
		_, err := pool.Exec(ctx, "CREATE TABLE filled AS SELECT 7 AS n")
		return err
	}
	t.Run("copies", func(t *testing.T) {
		for range 8 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				pool := pgtest.New(t, pgtest.Migrated("once", build))
				if n := count(t, pool, "SELECT sum(n) FROM filled"); n != 7 {
					t.Errorf("the copy holds %d, not 7", n)
				}
				exec(t, pool, "INSERT INTO filled VALUES (1)") // seen by no other copy
			})
		}
	})
	if n := built.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
}

func TestMigratedInSeveralSteps(t *testing.T) {
	step := func(sql string) func(context.Context, *pgxpool.Pool) error {
		return func(ctx context.Context, pool *pgxpool.Pool) error { _, err := pool.Exec(ctx, sql); return err }
	}
	pool := pgtest.New(t,
		pgtest.Migrated("first", step("CREATE TABLE a (n int)")),
		pgtest.Migrated("second", step("INSERT INTO a VALUES (5)")))
	if n := count(t, pool, "SELECT n FROM a"); n != 5 {
		t.Error(n)
	}
	alone := pgtest.New(t, pgtest.Migrated("first", step("SELECT 'another template than the two together'")))
	if n := count(t, alone, "SELECT count(*) FROM pg_class WHERE relname = 'a'"); n != 0 {
		t.Error("a template of one step has what the template of two had")
	}
}

// recorder is a TB that records how it fails.
type recorder struct {
	*testing.T
	fatal string
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.fatal = fmt.Sprintf(format, args...)
	panic(r)
}

func (r *recorder) run(f func()) {
	defer func() {
		if v := recover(); v != nil && v != any(r) {
			panic(v)
		}
	}()
	f()
}

func TestMigratedThatFailsFailsEveryTest(t *testing.T) {
	var built int
	build := func(context.Context, *pgxpool.Pool) error { built++; return errors.New("no such luck") }
	for range 2 {
		r := &recorder{T: t}
		r.run(func() { pgtest.New(r, pgtest.Migrated("failing", build)) })
		if !strings.Contains(r.fatal, "failing: no such luck") {
			t.Errorf("failed with %q", r.fatal)
		}
	}
	if built != 1 {
		t.Errorf("built %d times", built)
	}
}

func TestMigratedThatDoesNotReturn(t *testing.T) {
	build := func(context.Context, *pgxpool.Pool) error { panic("gone") }
	r := &recorder{T: t}
	func() {
		defer func() { _ = recover() }()
		pgtest.New(r, pgtest.Migrated("panicking", build))
	}()
	r.run(func() { pgtest.New(r, pgtest.Migrated("panicking", build)) })
	if !strings.Contains(r.fatal, "did not return") {
		t.Errorf("failed with %q", r.fatal)
	}
}

func TestOnlyItsOwnDatabasesAreDropped(t *testing.T) {
	s, err := pgtest.Shared(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DropDatabase(ctx, s.URL("postgres")); err == nil {
		t.Error("it dropped the database postgres")
	}
}

func TestSettingsOfTests(t *testing.T) {
	pool := pgtest.Own(t).New(t)
	for name, want := range map[string]string{
		"fsync": "off", "synchronous_commit": "on", "full_page_writes": "off", "max_connections": "300",
		"server_encoding": "UTF8", "lc_collate": "C", "listen_addresses": "",
	} {
		var got string
		if err := pool.QueryRow(ctx, "SELECT setting FROM pg_settings WHERE name = $1", name).Scan(&got); err != nil {
			if name == "lc_collate" && errors.Is(err, pgx.ErrNoRows) {
				continue // no longer a setting since Postgres 16
			}
			t.Fatal(name, err)
		}
		if got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
}

func BenchmarkNewDatabase(b *testing.B) {
	s, err := pgtest.Shared(ctx)
	if err != nil {
		b.Fatal(err)
	}
	build := func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := pool.Exec(ctx, "CREATE TABLE t (id int PRIMARY KEY)")
		return err
	}
	for b.Loop() {
		url, err := s.NewDatabase(ctx, pgtest.Migrated("bench", build))
		if err != nil {
			b.Fatal(err)
		}
		if err := s.DropDatabase(ctx, url); err != nil {
			b.Fatal(err)
		}
	}
}

func schema(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, "CREATE TABLE t (id int PRIMARY KEY)")
	return err
}
