package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime"
)

// listenPing is how long a silent connection is trusted: a half-open one never reports anything.
const listenPing = 10 * time.Second

// listen wakes the claims when commands are announced. It is an optimisation: without it, or while it is
// reconnecting, polling finds the same commands later.
func (r *Relay) listen(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		err := r.listenOnce(ctx, func() { failures = 0 })
		if ctx.Err() != nil {
			return
		}
		failures++
		r.log.Debug("idem: listening was interrupted, polling meanwhile", "error", err)
		pause(ctx, spread(backoff(100*time.Millisecond, failures, 10*time.Second)))
	}
}

func (r *Relay) listenOnce(ctx context.Context, connected func()) error {
	conn, err := pgx.ConnectConfig(ctx, r.base.ConnConfig.Copy())
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{runtime.Channel(r.cfg.Schema)}.Sanitize()); err != nil {
		return err
	}
	connected()
	r.Wake() // for what was announced before: first listen, then look
	for {
		if err := r.await(ctx, conn); err != nil {
			return err
		}
	}
}

// await takes one notification, or makes sure that the connection lives.
func (r *Relay) await(ctx context.Context, conn *pgx.Conn) error {
	waiting, cancel := context.WithTimeout(ctx, listenPing)
	defer cancel()
	n, err := conn.WaitForNotification(waiting)
	switch {
	case err == nil:
		if n.Payload == r.table.wakes() {
			r.Wake()
		}
		return nil
	case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) || conn.IsClosed():
		return err
	}
	pinging, cancel := context.WithTimeout(ctx, listenPing)
	defer cancel()
	return conn.Ping(pinging)
}
