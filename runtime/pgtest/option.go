package pgtest

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Option says what a new database holds.
type Option func(*contents)

// contents are the steps that make a template; none: an empty database.
type contents struct {
	steps []step
}

type step struct {
	name string
	make func(ctx context.Context, pool *pgxpool.Pool) error
}

// Migrated makes the database a copy of a template that build has filled. build runs once per server and name, in an empty
// database; so one name must always come with one build. Several of them run in the order given.
func Migrated(name string, build func(ctx context.Context, pool *pgxpool.Pool) error) Option {
	return func(c *contents) { c.steps = append(c.steps, step{name, build}) }
}

// ServerOption says how a server runs.
type ServerOption func(*serverConfig)

type serverConfig struct {
	durable  bool
	tcp      bool
	private  bool
	settings []string
}

// Durable makes the server write to the disk as a production server does, fsync included. Without it, what a crash of the
// machine loses is not kept safe; a crash of the server alone loses nothing either way.
func Durable() ServerOption {
	return func(c *serverConfig) { c.durable = true }
}

// TCP makes the server listen on a free port of 127.0.0.1 as well, with a password of its own, and [Server.URL] point there.
func TCP() ServerOption {
	return func(c *serverConfig) { c.tcp = true }
}

// Private starts a server of our own even when IDEM_DATABASE_URL is set.
func Private() ServerOption {
	return func(c *serverConfig) { c.private = true }
}

// Setting sets a parameter of the server, as in postgresql.conf. It has no effect on the server of IDEM_DATABASE_URL.
func Setting(name, value string) ServerOption {
	return func(c *serverConfig) { c.settings = append(c.settings, name+"="+value) }
}

// arguments are those of postgres. What the caller sets comes last, and so wins.
func (c serverConfig) arguments(port string) []string {
	listen := ""
	if c.tcp {
		listen = "127.0.0.1"
	}
	settings := []string{
		"port=" + port,
		"listen_addresses=" + listen,
		"max_connections=300",
		"shared_buffers=64MB",
		"dynamic_shared_memory_type=mmap", // kept in the data directory, and so removed with it
		"jit=off",
	}
	if !c.durable {
		settings = append(settings, "fsync=off", "full_page_writes=off", "max_wal_size=256MB")
	}
	var args []string
	for _, s := range append(settings, c.settings...) {
		args = append(args, "-c", s)
	}
	return args
}
