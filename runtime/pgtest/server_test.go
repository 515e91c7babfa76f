//go:build unix

package pgtest_test

import (
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/pgtest"
)

func TestCrashAndStart(t *testing.T) {
	s := pgtest.Own(t)
	pool := s.New(t)
	exec(t, pool, "CREATE TABLE kept (n int)")
	exec(t, pool, "INSERT INTO kept VALUES (1)")
	conn, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()

	if err := s.Crash(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "SELECT 1"); err == nil {
		t.Error("the connection survived the crash")
	}
	if c, err := pgx.Connect(ctx, s.URL("postgres")); err == nil {
		t.Error("the server still answers", c.Close(ctx))
	}
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if n := count(t, pool, "SELECT count(*) FROM kept"); n != 1 {
		t.Error("what was committed before the crash is lost")
	}
}

func TestRestartKeepsDataAndAddress(t *testing.T) {
	s := pgtest.Own(t, pgtest.TCP())
	pool := s.New(t)
	exec(t, pool, "CREATE TABLE kept AS SELECT 1 AS n")
	before := s.URL("x")
	if err := s.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	pool.Reset()
	if n := count(t, pool, "SELECT n FROM kept"); n != 1 || s.URL("x") != before {
		t.Error(n, s.URL("x"))
	}
}

func TestTCPNeedsThePassword(t *testing.T) {
	s := pgtest.Own(t, pgtest.TCP())
	u, err := url.Parse(s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if u.Hostname() != "127.0.0.1" {
		t.Fatalf("host %q", u.Hostname())
	}
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(ctx)
	u.User = url.UserPassword("postgres", "guessed")
	if conn, err := pgx.Connect(ctx, u.String()); err == nil {
		t.Error("anybody on this machine can connect", conn.Close(ctx))
	}
}

func TestDurable(t *testing.T) {
	s := pgtest.Own(t, pgtest.Durable(), pgtest.Setting("work_mem", "5MB"))
	pool := s.New(t)
	var fsync, fpw, mem string
	err := pool.QueryRow(ctx, "SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('work_mem')").
		Scan(&fsync, &fpw, &mem)
	if err != nil || fsync != "on" || fpw != "on" || mem != "5MB" {
		t.Error(fsync, fpw, mem, err)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	s, err := pgtest.Start(ctx, pgtest.Private())
	if err != nil {
		t.Fatal(err)
	}
	pid, err := s.Postmaster()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Error("a second Stop:", err)
	}
	if _, err := os.Stat(s.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Error("the directory is still there:", err)
	}
	if running(pid) {
		t.Error("the server still runs")
	}
	if err := s.Start(ctx); !errors.Is(err, pgtest.ErrStopped) {
		t.Error("Start after Stop:", err)
	}
}

func TestAServerThatDoesNotStartSaysWhy(t *testing.T) {
	before := time.Now()
	_, err := pgtest.Start(ctx, pgtest.Private(), pgtest.Setting("no_such_setting", "1"))
	var se *pgtest.ServerError
	if !errors.As(err, &se) || se.Op != "start" || !strings.Contains(err.Error(), "no_such_setting") {
		t.Fatalf("got %v", err)
	}
	if waited := time.Since(before); waited > 20*time.Second {
		t.Errorf("it took %v to notice", waited)
	}
}

func TestStartStopsWithItsContext(t *testing.T) {
	ctx, cancel := timeout(50 * time.Millisecond) // initdb takes longer
	defer cancel()
	_, err := pgtest.Start(ctx, pgtest.Private())
	if !errors.Is(err, ctx.Err()) || ctx.Err() == nil {
		t.Errorf("got %v", err)
	}
}

// TestASessionThatIsKeptMayBeGone: the server has ended it, by a restart or by itself.
func TestASessionThatIsKeptMayBeGone(t *testing.T) {
	s := pgtest.Own(t)
	for _, end := range []func() error{
		func() error { return nil },
		func() error { return s.Restart(ctx) },
		func() error { return errors.Join(s.Crash(ctx), s.Start(ctx)) },
	} {
		if err := end(); err != nil {
			t.Fatal(err)
		}
		url, err := s.NewDatabase(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.DropDatabase(ctx, url); err != nil {
			t.Fatal(err)
		}
	}
}
