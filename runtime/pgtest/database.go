package pgtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// databases are those that one Server has created.
type databases struct {
	token string // part of every name

	mu        sync.Mutex
	created   int
	templates map[string]*template
}

// template is a database to copy; err says why it cannot be.
type template struct {
	name string
	err  error
	made sync.Once
}

// NewDatabase creates a database of its own and returns its connection string. It exists until [Server.DropDatabase] or
// [Server.Stop].
func (s *Server) NewDatabase(ctx context.Context, opts ...Option) (string, error) {
	var c contents
	for _, opt := range opts {
		opt(&c)
	}
	from := "template0" // unlike template1 nobody is ever connected to it
	if len(c.steps) > 0 {
		var err error
		if from, err = s.template(ctx, c.steps); err != nil {
			return "", err
		}
	}
	name := s.databases.newName("")
	if err := s.create(ctx, name, from); err != nil {
		return "", err
	}
	return s.URL(name), nil
}

// DropDatabase drops a database of [Server.NewDatabase] by its connection string, and ends the connections to it.
func (s *Server) DropDatabase(ctx context.Context, url string) error {
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(c.Database, s.databases.prefix()) {
		return fmt.Errorf("database %q was not created by this server's NewDatabase, so it is not dropped", c.Database)
	}
	return s.admin(ctx, "DROP DATABASE IF EXISTS "+quote(c.Database)+" WITH (FORCE)")
}

// template returns the name of the database that steps have filled, and makes it when it is asked for first.
func (s *Server) template(ctx context.Context, steps []step) (string, error) {
	t := s.databases.template(steps)
	t.made.Do(func() {
		t.err = errors.New("its builder did not return") // as after a t.FailNow inside it
		t.err = s.build(ctx, t.name, steps)
	})
	if t.err != nil {
		return "", fmt.Errorf("making the template database: %w", t.err)
	}
	return t.name, nil
}

// build leaves no connection to the template behind, and lets none in: it could not be copied otherwise.
func (s *Server) build(ctx context.Context, name string, steps []step) error {
	if err := s.create(ctx, name, "template0"); err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, s.URL(name))
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, step := range steps {
		if err := step.make(ctx, pool); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	pool.Close()
	return s.admin(ctx, "ALTER DATABASE "+quote(name)+" ALLOW_CONNECTIONS false")
}

const objectInUse = "55006"

// create copies a template. The server refuses while it still sees a connection there; closed ones take a moment to go.
func (s *Server) create(ctx context.Context, name, from string) error {
	how, err := s.strategy(ctx)
	if err != nil {
		return err
	}
	for wait := time.Millisecond; ; wait *= 2 {
		err := s.admin(ctx,
			"CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(from)+how,
			"COMMENT ON DATABASE "+quote(name)+" IS '"+mark+"'")
		var pgErr *pgconn.PgError
		if !errors.As(err, &pgErr) || pgErr.Code != objectInUse || wait > time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// strategy says how to copy a template. To copy its files is the least work where they need not reach a disk, and takes
// along what the server has found out about the catalogs for the sessions to come. Servers before 15 do nothing else.
func (s *Server) strategy(ctx context.Context) (string, error) {
	conn, err := s.session(ctx)
	if err != nil {
		return "", err
	}
	defer s.sessions.keep(conn)
	var files bool
	err = conn.QueryRow(ctx, "SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000").Scan(&files)
	if err != nil || !files {
		return "", err
	}
	return " STRATEGY file_copy", nil
}

func (d *databases) prefix() string { return namePrefix + d.token + "_" }

func (d *databases) newName(kind string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.created++
	return fmt.Sprintf("%s%s%d", d.prefix(), kind, d.created)
}

func (d *databases) template(steps []step) *template {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.name
	}
	key := strings.Join(names, "\x00")
	name := d.newName("t")
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.templates == nil {
		d.templates = map[string]*template{}
	}
	if d.templates[key] == nil {
		d.templates[key] = &template{name: name}
	}
	return d.templates[key]
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
