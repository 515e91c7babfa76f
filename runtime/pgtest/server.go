package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// startTimeout bounds how long a server may take to accept its first connection, recovery after a crash included.
const startTimeout = 60 * time.Second

var errFailed = errors.New("it failed")

// Server is a Postgres server that hands out databases: one that [Start] has started, or the one that IDEM_DATABASE_URL
// names. Its methods may be called from several goroutines at once.
type Server struct {
	source string
	target target
	keeper *keeper // nil when the server is not ours
	lease  *lease  // nil when it is

	sessions  sessions
	databases databases
}

// Start finds a server, or starts one, which lives until [Server.Stop] or the end of the process.
func Start(ctx context.Context, opts ...ServerOption) (*Server, error) {
	var c serverConfig
	for _, opt := range opts {
		opt(&c)
	}
	if dsn := os.Getenv(EnvURL); dsn != "" && !c.private {
		return connect(ctx, dsn)
	}
	in, err := systemFinder.find(ctx)
	if err != nil {
		return nil, err
	}
	return launch(ctx, in, c)
}

// launch starts a server of our own.
func launch(ctx context.Context, in installation, c serverConfig) (*Server, error) {
	port, password := "5432", rand.Text()
	if c.tcp {
		port = strconv.Itoa(int(freePort()))
	}
	k, err := startKeeper(in.bin, c.durable, c.arguments(port))
	if err != nil {
		return nil, err
	}
	s := &Server{
		source: in.source, keeper: k, target: localTarget{dir: k.dir, port: port},
		databases: databases{token: newToken()},
	}
	if c.tcp {
		s.target = localTarget{dir: k.dir, port: port, password: password}
	}
	if _, err := k.ask(ctx, "init "+password); err != nil {
		return nil, errors.Join(s.failure("initdb", err), s.Stop())
	}
	if err := s.Start(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Source says, for people, where the server comes from.
func (s *Server) Source() string { return s.source }

// URL is the connection string of a database on this server.
func (s *Server) URL(database string) string { return s.target.url(database) }

// Start starts the server again after [Server.Crash], on the same data and at the same address.
func (s *Server) Start(ctx context.Context) error {
	if s.keeper == nil {
		return ErrNotOurs
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if _, err := s.keeper.ask(ctx, "start"); err != nil {
		return s.failure("start", err)
	}
	return s.await(ctx)
}

// await returns when the server accepts connections.
func (s *Server) await(ctx context.Context) error {
	for {
		conn, err := pgx.Connect(ctx, s.target.admin())
		if err == nil {
			return conn.Close(ctx)
		}
		if _, err := s.keeper.ask(ctx, "alive"); err != nil {
			return s.failure("start", err)
		}
		select {
		case <-ctx.Done():
			return s.failure("start", errors.Join(ctx.Err(), err))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Crash stops the server at once, as if it had died: connections break, nothing is checkpointed, and the next start
// recovers from the log. What was committed is kept.
func (s *Server) Crash(ctx context.Context) error { return s.halt(ctx, "QUIT") }

// Restart stops the server in good order, breaking its connections, and starts it again.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.halt(ctx, "INT"); err != nil {
		return err
	}
	return s.Start(ctx)
}

func (s *Server) halt(ctx context.Context, signal string) error {
	if s.keeper == nil {
		return ErrNotOurs
	}
	if _, err := s.keeper.ask(ctx, "stop "+signal); err != nil {
		return s.failure("stop", err)
	}
	return nil
}

// Stop ends a server of our own and removes its data. On the server of IDEM_DATABASE_URL it drops the databases that were
// created through s.
func (s *Server) Stop() error {
	if s.keeper == nil {
		return s.release()
	}
	s.keeper.leave()
	s.sessions.end(context.Background())
	return nil
}

func (s *Server) failure(op string, err error) error {
	if errors.Is(err, errFailed) {
		err = nil // the log has the reason
	}
	return &ServerError{Op: op, Err: err, Log: logTail(filepath.Join(s.keeper.dir, "log"))}
}

// target knows how to reach the databases of a server.
type target interface {
	url(database string) string
	admin() string // the connection for creating and dropping databases
}

// localTarget is a server of ours; it has a password when it listens on TCP.
type localTarget struct {
	dir, port, password string
}

func (t localTarget) url(database string) string {
	if t.password == "" {
		return t.socket(database)
	}
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword("postgres", t.password),
		Host: net.JoinHostPort("127.0.0.1", t.port), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

func (t localTarget) admin() string { return t.socket("postgres") }

func (t localTarget) socket(database string) string {
	q := url.Values{"host": {t.dir}, "port": {t.port}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/" + database, RawQuery: q.Encode()}
	return u.String()
}

// freePort asks the system for a port that nobody listens on.
func freePort() uint32 {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 5432
	}
	defer func() { _ = l.Close() }()
	return uint32(l.Addr().(*net.TCPAddr).Port)
}

// newToken names what belongs to one Server: 16 hexadecimal digits.
func newToken() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// shared is the server that all tests of this process use.
var shared struct {
	sync.Mutex
	server *Server
	err    error
}

// Shared returns the server that [New] and [URL] use, and starts it when it is asked for first. It is meant for programs
// and tests that want several databases by hand; a failed start is not tried again.
func Shared(ctx context.Context) (*Server, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = Start(ctx)
	}
	return shared.server, shared.err
}

// Close stops the server that the tests of this process share, if there is one. Calling it is optional, as the server goes
// with the process. On the server of IDEM_DATABASE_URL it drops the templates now, not at the next run.
func Close() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return nil
	}
	err := shared.server.Stop()
	shared.server = nil
	return err
}
