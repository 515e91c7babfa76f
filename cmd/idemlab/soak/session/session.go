package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// With runs op on a session of its own that may write whatever happens.
func With(ctx context.Context, url string, op func(*pgx.Conn) error) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	cfg.RuntimeParams["default_transaction_read_only"] = "off"
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	return op(conn)
}

// maxTries is how often Patiently tries: the server may be away because of a fault.
const maxTries = 100

// Patiently is With, again and again while the server is away.
func Patiently(ctx context.Context, url string, op func(*pgx.Conn) error) (err error) {
	for range maxTries {
		err = With(ctx, url, op)
		if err == nil || !Sleep(ctx, 100*time.Millisecond) {
			return err
		}
	}
	return err
}

// Sleep pauses for d; false means that ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Socket returns the path of the server's socket, and the name of the database.
func Socket(url string) (path, database string, err error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return "", "", err
	}
	if !strings.HasPrefix(cfg.Host, "/") {
		return "", "", fmt.Errorf("the soak needs a server of its own on a Unix socket, not one at %s", cfg.Host)
	}
	return fmt.Sprintf("%s/.s.PGSQL.%d", cfg.Host, cfg.Port), cfg.Database, nil
}
