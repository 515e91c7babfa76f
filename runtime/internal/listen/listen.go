package listen

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/internal/pace"
)

// ping is how long a silent connection is trusted: a half-open one never reports anything.
const ping = 10 * time.Second

// Listener says what to listen to, and whom to tell.
type Listener struct {
	Config  *pgx.ConnConfig
	Channel string
	// Ready is called whenever listening has begun: what was announced before is found by looking now.
	Ready func()
	// Notified is called with each notification's payload.
	Notified func(payload string)
	Log      *slog.Logger
}

// Run listens until ctx ends.
func (l *Listener) Run(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		err := l.once(ctx, func() { failures = 0 })
		if ctx.Err() != nil {
			return
		}
		failures++
		l.Log.Debug("idem: listening was interrupted, polling meanwhile", "error", err)
		pace.Pause(ctx, pace.Jitter(pace.Backoff(100*time.Millisecond, failures, 10*time.Second)))
	}
}

// once listens on one connection until that breaks.
func (l *Listener) once(ctx context.Context, connected func()) error {
	conn, err := pgx.ConnectConfig(ctx, l.Config.Copy())
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{l.Channel}.Sanitize()); err != nil {
		return err
	}
	connected()
	l.Ready()
	for {
		if err := l.await(ctx, conn); err != nil {
			return err
		}
	}
}

// await takes one notification, or makes sure that the connection lives.
func (l *Listener) await(ctx context.Context, conn *pgx.Conn) error {
	waiting, cancel := context.WithTimeout(ctx, ping)
	defer cancel()
	n, err := conn.WaitForNotification(waiting)
	switch {
	case err == nil:
		l.Notified(n.Payload)
		return nil
	case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) || conn.IsClosed():
		return err
	}
	pinging, cancel := context.WithTimeout(ctx, ping)
	defer cancel()
	return conn.Ping(pinging)
}
