//go:build unix

package pgtest_test

import (
	"errors"
	"net/url"
	osexec "os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/pgtest"
)

// users is a server as a user of idem may have it, with a role that can do little more than create databases.
func users(t *testing.T) (s *pgtest.Server, dsn string) {
	t.Helper()
	s = pgtest.Own(t, pgtest.TCP())
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "CREATE ROLE tester LOGIN CREATEDB PASSWORD 'se cret'"); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("tester", "se cret")
	return s, u.String()
}

func TestDatabasesOnAServerOfTheUsers(t *testing.T) {
	owner, dsn := users(t)
	t.Setenv(pgtest.EnvURL, dsn)
	s, err := pgtest.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.Source(), "cret") {
		t.Errorf("the source tells the password: %s", s.Source())
	}
	t.Run("", func(t *testing.T) {
		if n := count(t, s.New(t, pgtest.Migrated("t", schema)), "SELECT count(*) FROM t"); n != 0 {
			t.Error(n)
		}
	})
	for _, err := range []error{s.Crash(ctx), s.Start(ctx), s.Restart(ctx)} {
		if !errors.Is(err, pgtest.ErrNotOurs) {
			t.Error(err)
		}
	}
	if left := names(t, owner); len(left) != 1 { // the template
		t.Errorf("before Stop there are %v", left)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if left := names(t, owner); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestKeywordConnectionString(t *testing.T) {
	owner := pgtest.Own(t)
	t.Setenv(pgtest.EnvURL, "host="+owner.Dir()+" port=5432 user=postgres dbname=postgres sslmode=disable")
	s, err := pgtest.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, s.New(t), "SELECT count(*) FROM pg_database WHERE datname = current_database() AND datname LIKE 'idem_test_%'"); n != 1 {
		t.Error("the test's pool is connected to another database")
	}
	t.Cleanup(func() { _ = s.Stop() })
}

// Databases of a killed process go when the next one comes; those of a living one, and those of others, stay.
func TestLeftoversOfDeadProcesses(t *testing.T) {
	owner, dsn := users(t)
	onServer := func(cmd *osexec.Cmd) { cmd.Env = append(cmd.Env, pgtest.EnvURL+"="+dsn) }
	dead := startChild(t, "is killed", onServer)
	alive := startChild(t, "waits", onServer)
	left, used := dead.line(t, "database"), alive.line(t, "database")

	const theirs = "idem_test_0123456789abcdef_1" // looks like ours, and is not: it has no mark
	conn, err := pgx.Connect(ctx, owner.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+theirs); err != nil {
		t.Fatal(err)
	}
	if err := dead.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	dead.wait(t)
	if !slices.Contains(names(t, owner), left) {
		t.Fatal("the killed process has left nothing: the test shows nothing")
	}

	eventually(t, "the next process to drop "+left, func() bool {
		next := startChild(t, "pass", onServer)
		next.line(t, "database")
		next.wait(t)
		return !slices.Contains(names(t, owner), left)
	})
	if got := names(t, owner); !slices.Equal(got, []string{used}) {
		t.Errorf("there are %v, want %s only", got, used)
	}
	var kept bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", theirs).Scan(&kept); err != nil || !kept {
		t.Errorf("somebody else's database is gone: %v", err)
	}
	_ = alive.stdin.Close()
	alive.wait(t)
}

func TestErrorsDoNotTellThePassword(t *testing.T) {
	for _, dsn := range []string{
		"postgres://u:hunter2@127.0.0.1:1/x", "postgres://u:hunter2@[::1/x", "host=127.0.0.1 port=1 password=hunter2", "password=hunter2 port=no",
	} {
		t.Setenv(pgtest.EnvURL, dsn)
		_, err := pgtest.Start(ctx)
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), pgtest.EnvURL) {
			t.Errorf("%v", err)
		}
	}
}
