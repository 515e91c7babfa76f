package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/idem-go/idem/runtime/internal/wire"
	"github.com/idem-go/idem/runtime/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// setup returns a proxy, a connection through it, and a pool past it. There is an empty table t (n int).
func setup(t *testing.T) (*wire.Proxy, *pgx.Conn, *pgxpool.Pool) {
	t.Helper()
	server := pgtest.URL(t)
	direct, err := pgxpool.New(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(direct.Close)
	if _, err := direct.Exec(ctx, "CREATE TABLE t (n int)"); err != nil {
		t.Fatal(err)
	}
	p := wire.Start(t, server)
	return p, connect(t, p.URL()), direct
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(ctx, sql, args...); err != nil {
		t.Fatal(err)
	}
}

// rows is what t holds, for all to see.
func rows(t *testing.T, direct *pgxpool.Pool) (n int) {
	t.Helper()
	if err := direct.QueryRow(ctx, "SELECT count(*) FROM t").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func fires(t *testing.T, c *wire.Cut) {
	t.Helper()
	select {
	case <-c.Fired():
	case <-time.After(time.Minute):
		t.Fatal("the cut did not fire")
	}
}

func firesNot(t *testing.T, c *wire.Cut) {
	t.Helper()
	select {
	case <-c.Fired():
		t.Fatalf("the cut fired at %v", c.Request())
	default:
	}
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain waited for: %s", what)
		}
	}
}

func batch(n int) *pgx.Batch {
	b := &pgx.Batch{}
	for i := range n {
		b.Queue("INSERT INTO t VALUES ($1)", i)
	}
	return b
}

func TestABatchIsOneRoundTrip(t *testing.T) {
	p, conn, direct := setup(t)
	for i, want := range []int{2, 1} { // the first one prepares the statement
		p.Reset()
		if err := conn.SendBatch(ctx, batch(3)).Close(); err != nil {
			t.Fatal(err)
		}
		if n := p.RoundTrips(); n != want {
			t.Errorf("batch %d took %d round trips, want %d", i+1, n, want)
		}
	}
	if n := rows(t, direct); n != 6 {
		t.Errorf("%d rows", n)
	}
}

func TestRoundTripsAreCountedPerConnection(t *testing.T) {
	p, first, _ := setup(t)
	if n := p.RoundTrips(); n != 0 {
		t.Errorf("logging in counts as %d", n)
	}
	second := connect(t, p.URL())
	for range 3 {
		exec(t, first, "SELECT 1")
	}
	exec(t, second, "BEGIN")
	if _, err := second.Exec(ctx, "SELECT 1/0"); err == nil { // an error is an answer
		t.Fatal("no error")
	}
	if got := p.RoundTripsByConnection(); len(got) != 2 || got[1] != 3 || got[2] != 2 || p.RoundTrips() != 5 {
		t.Errorf("counted %v", got)
	}
	p.Reset()
	exec(t, first, "SELECT 1")
	if got := p.RoundTripsByConnection(); len(got) != 1 || got[1] != 1 {
		t.Errorf("after Reset: %v", got)
	}
}

func TestALostReplyToACommit(t *testing.T) {
	p, conn, direct := setup(t)
	cut := p.CutReply(wire.Commit)
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	firesNot(t, cut)
	if err := tx.Commit(ctx); err == nil {
		t.Error("the client learnt of the commit")
	}
	fires(t, cut)
	if n := rows(t, direct); n != 1 {
		t.Errorf("%d rows: the server did not commit", n)
	}
	if !conn.IsClosed() {
		t.Error("the connection still lives")
	}
	if r := cut.Request(); !r.InTransaction || r.Connection != 1 || !strings.Contains(r.String(), "commit") {
		t.Errorf("cut at %+v", r)
	}
}

func TestALostRequestToCommit(t *testing.T) {
	p, conn, direct := setup(t)
	cut := p.CutRequest(wire.Commit)
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(ctx); err == nil {
		t.Error("the client was told of a commit")
	}
	fires(t, cut)
	eventually(t, "the server to notice", func() bool { return sessions(t, direct) == 0 })
	if n := rows(t, direct); n != 0 {
		t.Errorf("%d rows: the request reached the server", n)
	}
}

// sessions counts the server's sessions that are not of the pool direct.
func sessions(t *testing.T, direct *pgxpool.Pool) (n int) {
	t.Helper()
	err := direct.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Outside of a transaction block a batch commits by itself: all of it or nothing.
func TestCutsOfABatch(t *testing.T) {
	for name, test := range map[string]struct {
		arm  func(*wire.Proxy) *wire.Cut
		want int
	}{
		"request": {func(p *wire.Proxy) *wire.Cut { return p.CutRequest(wire.Statement("INSERT")) }, 0},
		"reply":   {func(p *wire.Proxy) *wire.Cut { return p.CutReply(wire.Statement("INSERT")) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p, conn, direct := setup(t)
			if _, err := conn.Prepare(ctx, "insert", "INSERT INTO t VALUES ($1)"); err != nil {
				t.Fatal(err)
			}
			b := &pgx.Batch{}
			for i := range 3 {
				b.Queue("insert", i) // by its name: the text does not travel again
			}
			cut := test.arm(p)
			if err := conn.SendBatch(ctx, b).Close(); err == nil {
				t.Error("the client noticed nothing")
			}
			fires(t, cut)
			if r := cut.Request(); len(r.Statements) != 3 || r.InTransaction {
				t.Errorf("cut at %+v", r)
			}
			if n := rows(t, direct); n != test.want {
				t.Errorf("%d rows, want %d", n, test.want)
			}
		})
	}
}

func TestTheNthRequest(t *testing.T) {
	p, conn, direct := setup(t)
	cut := p.CutRequest(wire.Nth(3, wire.Statement("INSERT")))
	var done int
	for range 5 {
		if _, err := conn.Exec(ctx, "INSERT INTO t VALUES (1)"); err != nil {
			break
		}
		exec(t, conn, "SELECT 1")
		done++
	}
	fires(t, cut)
	if n := rows(t, direct); done != 2 || n != 2 {
		t.Errorf("%d inserts returned, %d rows", done, n)
	}
	// It fires once.
	exec(t, connect(t, p.URL()), "INSERT INTO t VALUES (1)")
}

func TestACutThatIsDisarmed(t *testing.T) {
	p, conn, _ := setup(t)
	cut, other := p.CutRequest(wire.Any), p.CutReply(wire.Statement("nowhere"))
	cut.Disarm()
	exec(t, conn, "SELECT 1")
	firesNot(t, cut)
	firesNot(t, other)
}

func TestHoldKeepsTheServersSide(t *testing.T) {
	p, conn, direct := setup(t)
	const hold = 300 * time.Millisecond
	cut := p.CutRequest(wire.Commit, wire.Hold(hold))
	exec(t, conn, "BEGIN")
	exec(t, conn, "LOCK TABLE t")
	begun := time.Now()
	if _, err := conn.Exec(ctx, "COMMIT"); err == nil {
		t.Error("the client noticed nothing")
	}
	fires(t, cut)
	if n := sessions(t, direct); n != 1 {
		t.Errorf("%d sessions while it is held", n)
	}
	if n := rows(t, direct); n != 0 { // waits for the lock
		t.Errorf("%d rows", n)
	}
	if waited := time.Since(begun); waited < hold {
		t.Errorf("the lock was gone after %v", waited)
	}
}

func TestHoldEndsWithTheProxy(t *testing.T) {
	p, conn, direct := setup(t)
	cut := p.CutReply(wire.Any, wire.Hold(time.Hour))
	if _, err := conn.Exec(ctx, "SELECT 1"); err == nil {
		t.Error("the client noticed nothing")
	}
	fires(t, cut)
	p.Close()
	eventually(t, "the server to notice", func() bool { return sessions(t, direct) == 0 })
}

func TestPause(t *testing.T) {
	for name, test := range map[string]struct {
		pause  func(*wire.Proxy) func()
		during int
	}{
		"requests": {(*wire.Proxy).PauseRequests, 0},
		"replies":  {(*wire.Proxy).PauseReplies, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p, conn, direct := setup(t)
			resume, again := test.pause(p), test.pause(p)
			done := make(chan error, 1)
			go func() {
				_, err := conn.Exec(ctx, "INSERT INTO t VALUES (1)")
				done <- err
			}()
			eventually(t, "the server to get what it may get", func() bool { return rows(t, direct) == test.during })
			resume()
			resume() // counts once
			select {
			case err := <-done:
				t.Fatalf("answered while it is still held: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			if n := rows(t, direct); n != test.during {
				t.Errorf("%d rows", n)
			}
			again()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if n := rows(t, direct); n != 1 {
				t.Errorf("%d rows in the end", n)
			}
		})
	}
}

func TestCloseDuringAPause(t *testing.T) {
	p, conn, _ := setup(t)
	defer p.PauseRequests()()
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(ctx, "SELECT 1")
		done <- err
	}()
	p.Close()
	if err := <-done; err == nil {
		t.Error("it was answered")
	}
}

func TestDisconnectAndRefuse(t *testing.T) {
	p, conn, direct := setup(t)
	allow := p.Refuse()
	exec(t, conn, "SELECT 1") // only new connections are refused
	p.Disconnect()
	if _, err := conn.Exec(ctx, "SELECT 1"); err == nil {
		t.Error("the connection survived")
	}
	if c, err := pgx.Connect(ctx, p.URL()); err == nil {
		t.Error("connected", c.Close(ctx))
	}
	eventually(t, "the server to notice", func() bool { return sessions(t, direct) == 0 })
	allow()
	exec(t, connect(t, p.URL()), "SELECT 1")
}

func TestObserve(t *testing.T) {
	p, conn, _ := setup(t)
	var seen []string
	p.Observe(func(r wire.Request) { seen = append(seen, r.String()) })
	exec(t, conn, "SELECT 1")
	exec(t, conn, "SELECT $1::int", 2)
	want := []string{"connection 1: SELECT 1", "connection 1: prepare SELECT $1::int", "connection 1: SELECT $1::int"}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("saw %q", seen)
	}
}

func TestCancelRequestsPass(t *testing.T) {
	p, conn, direct := setup(t)
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(ctx, "SELECT pg_sleep(60)")
		done <- err
	}()
	eventually(t, "the server to sleep", func() bool {
		var n int
		err := direct.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'").Scan(&n)
		return err == nil && n == 1
	})
	if err := conn.PgConn().CancelRequest(ctx); err != nil {
		t.Fatal(err)
	}
	var pgErr *pgconn.PgError
	if err := <-done; !errors.As(err, &pgErr) || pgErr.Code != "57014" {
		t.Errorf("got %v", err)
	}
	exec(t, conn, "SELECT 1")
	if n := p.RoundTrips(); n != 2 {
		t.Errorf("%d round trips", n)
	}
}

func TestDropCancels(t *testing.T) {
	p, conn, _ := setup(t)
	p.DropCancels()
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(ctx, "SELECT pg_sleep(0.5)")
		done <- err
	}()
	for asked := false; ; asked = true {
		select {
		case err := <-done:
			if err != nil || !asked {
				t.Errorf("asked to cancel: %v; %v", asked, err)
			}
			return
		default:
			_ = conn.PgConn().CancelRequest(ctx)
		}
	}
}

func TestCopyPasses(t *testing.T) {
	p, conn, direct := setup(t)
	const n = 200_000 // more than any buffer on the way holds
	src := pgx.CopyFromSlice(n, func(i int) ([]any, error) { return []any{i}, nil })
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"n"}, src); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, direct); got != n {
		t.Errorf("%d rows", got)
	}
	cut := p.CutReply(wire.Statement("copy"))
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"n"}, pgx.CopyFromRows([][]any{{1}})); err == nil {
		t.Error("the client noticed nothing")
	}
	fires(t, cut)
	if got := rows(t, direct); got != n+1 {
		t.Errorf("%d rows after the cut", got)
	}
}

func TestLargeRepliesPass(t *testing.T) {
	_, conn, _ := setup(t)
	const size = 20 << 20
	var text string
	if err := conn.QueryRow(ctx, "SELECT repeat('x', $1)", size).Scan(&text); err != nil || len(text) != size {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if err := conn.QueryRow(ctx, "SELECT length($1::text)", text).Scan(new(int)); err != nil {
		t.Error(err)
	}
}

func TestNotificationsPass(t *testing.T) {
	_, conn, direct := setup(t)
	exec(t, conn, "LISTEN news")
	if _, err := direct.Exec(ctx, "NOTIFY news, 'hello'"); err != nil {
		t.Fatal(err)
	}
	n, err := conn.WaitForNotification(ctx)
	if err != nil || n.Payload != "hello" {
		t.Error(n, err)
	}
}

// A pipeline with several Syncs under way: earlier replies arrive, the one that is cut does not.
func TestAPipeline(t *testing.T) {
	p, conn, direct := setup(t)
	cut := p.CutReply(wire.Nth(2, wire.Statement("INSERT")))
	pipeline := conn.PgConn().StartPipeline(ctx)
	for range 2 {
		pipeline.SendQueryParams("INSERT INTO t VALUES (1)", nil, nil, nil, nil)
		if err := pipeline.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	var answered int
	for {
		res, err := pipeline.GetResults()
		if err != nil {
			break
		}
		if r, ok := res.(*pgconn.ResultReader); ok {
			if _, err := r.Close(); err != nil {
				break
			}
			answered++
		}
	}
	_ = pipeline.Close()
	fires(t, cut)
	if n := rows(t, direct); answered != 1 || n != 2 {
		t.Errorf("%d answers, %d rows", answered, n)
	}
}

func TestPasswordsPass(t *testing.T) {
	s := pgtest.Own(t, pgtest.TCP())
	p := wire.Start(t, s.URL("postgres"))
	exec(t, connect(t, p.URL()), "SELECT 1")
	u, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("postgres", "guessed")
	var pgErr *pgconn.PgError
	if _, err := pgx.Connect(ctx, u.String()); !errors.As(err, &pgErr) || pgErr.Code != "28P01" {
		t.Errorf("got %v", err)
	}
}

func TestClientsThatWouldLikeTLS(t *testing.T) {
	p, _, _ := setup(t)
	exec(t, connect(t, strings.Replace(p.URL(), "sslmode=disable", "sslmode=prefer", 1)), "SELECT 1")
}

func TestTheServerDies(t *testing.T) {
	s := pgtest.Own(t)
	p := wire.Start(t, s.URL("postgres"))
	conn := connect(t, p.URL())
	if err := s.Crash(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "SELECT 1"); err == nil {
		t.Error("somebody answered")
	}
	if c, err := pgx.Connect(ctx, p.URL()); err == nil {
		t.Error("connected", c.Close(ctx))
	}
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	exec(t, connect(t, p.URL()), "SELECT 1")
}

func TestManyClients(t *testing.T) {
	p, _, direct := setup(t)
	const clients, each = 20, 100
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			conn, err := pgx.Connect(ctx, p.URL())
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close(ctx) }()
			for range each {
				if _, err := conn.Exec(ctx, "INSERT INTO t VALUES (1)"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := rows(t, direct); n != clients*each || p.RoundTrips() != n {
		t.Errorf("%d rows, %d round trips", n, p.RoundTrips())
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	server := pgtest.URL(b)
	for name, url := range map[string]string{"direct": server, "proxy": wire.Start(b, server).URL()} {
		b.Run(name, func(b *testing.B) {
			conn := connect(b, url)
			for b.Loop() {
				exec(b, conn, "SELECT 1")
			}
		})
	}
}
