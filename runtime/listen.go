package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// listenPing is how long a silent connection is trusted: a half-open one never reports anything.
const listenPing = 10 * time.Second

// listen wakes the claim loops when steps are announced. It is an optimisation: without it, or while it is
// reconnecting, polling finds the same steps later.
func (w *Worker) listen(ctx context.Context) {
	for failures := 0; ; {
		err := w.listenOnce(ctx, func() { failures = 0 })
		if ctx.Err() != nil {
			return
		}
		failures++
		w.log.Debug("idem: listening was interrupted, polling meanwhile", "error", err)
		if !pause(ctx, jitter(backoff(100*time.Millisecond, failures, 10*time.Second))) {
			return
		}
	}
}

func (w *Worker) listenOnce(ctx context.Context, connected func()) error {
	cfg := w.base.ConnConfig.Copy()
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{w.sql.channel}.Sanitize()); err != nil {
		return err
	}
	connected()
	// What was announced before the LISTEN took effect is read now: first listen, then look.
	for _, q := range w.queues {
		q.announce()
	}
	for {
		if err := w.await(ctx, conn); err != nil {
			return err
		}
	}
}

// await takes one notification, or makes sure that the connection lives.
func (w *Worker) await(ctx context.Context, conn *pgx.Conn) error {
	waiting, cancel := context.WithTimeout(ctx, listenPing)
	defer cancel()
	n, err := conn.WaitForNotification(waiting)
	switch {
	case err == nil:
		if q := w.queues[n.Payload]; q != nil {
			q.announce()
		}
		return nil
	case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) || conn.IsClosed():
		return err
	}
	pinging, cancel := context.WithTimeout(ctx, listenPing)
	defer cancel()
	return conn.Ping(pinging)
}
