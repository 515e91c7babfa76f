package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	namePrefix = "idem_test_"
	// mark is the comment of every database that we create. Without it none is ever dropped as a leftover.
	mark = "idem pgtest: dropped when the process that made it is gone"
)

// ours is what names look like: prefix, token of the Server, t for a template, counter.
var ours = regexp.MustCompile(`^` + namePrefix + `([0-9a-f]{16})_t?[0-9]+$`)

// lease is a session on somebody else's server that holds an advisory lock for as long as our process lives. Whoever gets
// the lock knows that the databases under its token belong to nobody any more. No clock or process number is involved,
// so that it works across machines.
type lease struct {
	conn *pgx.Conn
}

// connect uses the server of IDEM_DATABASE_URL.
func connect(ctx context.Context, dsn string) (*Server, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", EnvURL, err)
	}
	token := newToken()
	l, err := openLease(ctx, dsn)
	if err == nil {
		err = l.take(ctx, token)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", EnvURL, err)
	}
	return &Server{
		source: fmt.Sprintf("%s: %s", EnvURL, config.Host), target: remoteTarget(dsn),
		lease: l, databases: databases{token: token},
	}, nil
}

func openLease(ctx context.Context, dsn string) (*lease, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	return &lease{conn}, nil
}

// take gets the lock and then looks after what others have left. It closes the session when it fails.
func (l *lease) take(ctx context.Context, token string) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, l.conn.Close(ctx))
		}
	}()
	// A server may end idle sessions, and this one is idle for the whole run. Servers before 14 do not know the setting.
	_, _ = l.conn.Exec(ctx, "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'")
	if _, err := l.conn.Exec(ctx, "SELECT pg_advisory_lock($1)", lockKey(token)); err != nil {
		return err
	}
	return l.sweep(ctx)
}

// sweep drops what dead processes have left. A database in use stays: DROP DATABASE is not forced here.
func (l *lease) sweep(ctx context.Context) error {
	names, err := l.names(ctx, "")
	if err != nil {
		return err
	}
	for _, name := range names {
		key := lockKey(ours.FindStringSubmatch(name)[1])
		var dead bool
		if err := l.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&dead); err != nil {
			return err
		}
		if !dead {
			continue
		}
		_, _ = l.conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)) // another role's, or in use: the next run's affair
		if _, err := l.conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", key); err != nil {
			return err
		}
	}
	return nil
}

// names lists the databases of ours whose names begin with prefix.
func (l *lease) names(ctx context.Context, prefix string) ([]string, error) {
	rows, err := l.conn.Query(ctx, "SELECT datname FROM pg_database WHERE shobj_description(oid, 'pg_database') = $1", mark)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range all {
		if ours.MatchString(name) && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, nil
}

// release drops every database of this Server and ends the lease.
func (s *Server) release() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	names, err := s.lease.names(ctx, s.databases.prefix())
	for _, name := range names {
		err = errors.Join(err, s.admin(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)"))
	}
	s.sessions.end(ctx)
	return errors.Join(err, s.lease.conn.Close(ctx))
}

// lockKey is the token as a number: tokens are random, so locks of other programs are as good as never met.
func lockKey(token string) int64 {
	key, _ := strconv.ParseUint(token, 16, 64) // newToken and the pattern of names see to its form
	return int64(key)
}

// remoteTarget is the connection string of IDEM_DATABASE_URL, in either of the forms that Postgres knows.
type remoteTarget string

func (t remoteTarget) admin() string { return string(t) }

func (t remoteTarget) url(database string) string {
	u, err := url.Parse(string(t))
	if err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") {
		u.Path = "/" + database
		q := u.Query()
		q.Del("dbname")
		q.Del("database")
		u.RawQuery = q.Encode()
		return u.String()
	}
	escaped := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(database)
	return string(t) + " dbname='" + escaped + "'" // the last one counts
}
