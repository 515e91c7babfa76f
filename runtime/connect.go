package runtime

import (
	"context"
	"fmt"
	"maps"
	"strconv"
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

// connect opens the worker's pools and verifies the schema.
func (w *Worker) connect(ctx context.Context) (err error) {
	s := w.host.Session
	locks := map[string]string{"lock_timeout": controlLockTimeout}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.Handlers, err = w.newPool(ctx, w.cfg.Connections, nil); err != nil {
		return err
	}
	if s.Control, err = w.newPool(ctx, w.cfg.Committers+3, locks); err != nil {
		return err
	}
	if s.Aside, err = w.newPool(ctx, asideConnections, locks); err != nil {
		return err
	}
	w.held.Notifier.DB = s.Control
	return store.Verify(ctx, s.Control, s.SQL)
}

func (w *Worker) newPool(ctx context.Context, connections int, session map[string]string) (*pgxpool.Pool, error) {
	cfg := w.base.Copy()
	cfg.MaxConns = int32(connections)
	cfg.MinConns, cfg.MinIdleConns = 0, 0
	if cfg.ShouldPing == nil {
		cfg.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > recentlyUsed }
	}
	if !w.cfg.Pooler {
		params := cfg.ConnConfig.RuntimeParams
		params["idle_in_transaction_session_timeout"] = milliseconds(w.cfg.idleTimeout())
		maps.Copy(params, session)
		orParam(params, "application_name", "idem "+w.host.Name)
		for name, value := range w.cfg.keepalives() {
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

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
