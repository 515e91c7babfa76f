package runtime

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/store"
)

// asideConnections bounds the connections for short statements outside the completion transaction. They are made when they
// are needed.
const asideConnections = 4

// controlLockTimeout keeps a row that somebody else has locked from holding up a whole group, or the
// heartbeat of every step. In milliseconds.
const controlLockTimeout = "2000"

// recentlyUsed is for how long after its last use a connection is taken to be alive. Asked after one second, which is what
// pgx does by itself, half of what idle workers cost the database would be that question.
const recentlyUsed = 5 * time.Second

// openPools opens the connections of the worker of that name, as base says otherwise.
func (c *Config) openPools(ctx context.Context, s *store.Session, base *pgxpool.Config, name string) (err error) {
	locks := map[string]string{"lock_timeout": controlLockTimeout}
	if s.Handlers, err = c.newPool(ctx, base, name, c.Connections, nil); err != nil {
		return err
	}
	if s.Control, err = c.newPool(ctx, base, name, c.Committers+3, locks); err != nil {
		return err
	}
	s.Aside, err = c.newPool(ctx, base, name, asideConnections, locks)
	return err
}

func (c *Config) newPool(ctx context.Context, base *pgxpool.Config, name string, connections int, session map[string]string) (*pgxpool.Pool, error) {
	cfg := base.Copy()
	cfg.MaxConns = int32(connections)
	cfg.MinConns, cfg.MinIdleConns = 0, 0
	if cfg.ShouldPing == nil {
		cfg.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > recentlyUsed }
	}
	if !c.Pooler {
		params := cfg.ConnConfig.RuntimeParams
		params["idle_in_transaction_session_timeout"] = milliseconds(c.idleTimeout())
		maps.Copy(params, session)
		orParam(params, "application_name", "idem "+name)
		for name, value := range c.keepalives() {
			orParam(params, name, value)
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("idem: the worker's connection pool: %w", err)
	}
	return pool, nil
}

func orParam(params map[string]string, name, otherwise string) {
	if params[name] == "" {
		params[name] = otherwise
	}
}
