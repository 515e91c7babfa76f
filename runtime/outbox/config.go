package outbox

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/retention"
	"github.com/idem-go/idem/runtime/internal/sign"
)

// Config sets a relay up. The zero value serves.
type Config struct {
	// Schema has the runtime's tables; its name is part of the channel that relays listen on. Default: idem.
	Schema string
	// Concurrency is how many commands are being sent at a time. Default: 64.
	Concurrency int
	// PerDestination is how many of them may go to one destination. Default: 8. A table without destinations has one,
	// for which this is Concurrency.
	PerDestination int
	// Batch is how many commands are claimed at a time, at most. Default: 500.
	Batch int
	// SendTimeout bounds one send. Default: 20 s.
	SendTimeout time.Duration
	// Lease is how long a command stays with a relay that does not answer any more. It must be at least twice SendTimeout.
	// Default: 1 minute, or more if SendTimeout asks for it.
	Lease time.Duration
	// MaxAttempts is after how many sends without a definite answer a command is dead. Default: 20.
	MaxAttempts int
	// Backoff is the least pause before the second send. It doubles with each further one, up to MaxBackoff, and gets up to
	// a half of itself on top. Default: 1 s, up to 1 hour.
	Backoff, MaxBackoff time.Duration
	// MaxRetryAfter clamps what a receiver can ask for. Default: 24 hours.
	MaxRetryAfter time.Duration
	// Window is how long receivers remember a command's id: nothing is sent again by itself when that much has passed since
	// its first send, minus a tenth. Zero: receivers never forget.
	Window time.Duration
	// BreakAfter is after how many failures in a row a destination gets nothing for BreakFor, and then a single command
	// until one succeeds. The pause doubles while that fails, up to 20 times BreakFor. Default: 5 failures, 5 s.
	BreakAfter int
	BreakFor   time.Duration
	// Poll is how long a relay waits before it looks for commands that nobody announced. Default: 1 s.
	Poll time.Duration
	// PollOnly: do not listen for notifications.
	PollOnly bool
	// Pooler: the database is behind a pooler in transaction mode. The relay then keeps no session state.
	Pooler bool
	// Shutdown is how long a stopping relay waits for what is being sent. Default: 20 s, at most SendTimeout.
	Shutdown time.Duration
	// BacklogEvery is how often the observer is told of depth and age of the backlog. Default: 15 s.
	BacklogEvery time.Duration
	// Retention says what becomes of finished commands. Default: they stay.
	Retention Retention
	// Logger takes the relay's log. Default: slog's.
	Logger *slog.Logger
	// Observer is told what happens. Default: nobody.
	Observer Observer
}

// Retention says how long the evidence is kept that something was done.
type Retention struct {
	// Keep is how long it stays after the end. Zero: for ever.
	Keep time.Duration
	// ReplayWindow is the longest time after which the same key or command may come again: redeliveries, backfills,
	// operators' retries. Keep must not be shorter.
	ReplayWindow time.Duration
	// Archive is a table, as in SQL, that finished commands are moved to instead of being deleted. It has the columns of
	// the outbox in their order, as CREATE TABLE … (LIKE …) makes it. An Inbox has no use for it.
	Archive string
	// Batch is how many rows are removed at a time. Default: 1000.
	Batch int
}

// purgeEvery is how often a relay looks for finished commands to remove.
const purgeEvery = time.Minute

func (c Config) withDefaults(t *Table) (Config, error) {
	if err := c.checkSigns(); err != nil {
		return c, err
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	orElse(&c.Concurrency, 64)
	orElse(&c.PerDestination, 8)
	if !t.Destinations {
		c.PerDestination = c.Concurrency
	}
	orElse(&c.Batch, 500)
	orElse(&c.SendTimeout, 20*time.Second)
	orElse(&c.Lease, max(time.Minute, 3*c.SendTimeout))
	orElse(&c.MaxAttempts, 20)
	orElse(&c.Backoff, time.Second)
	orElse(&c.MaxBackoff, max(time.Hour, c.Backoff))
	orElse(&c.MaxRetryAfter, 24*time.Hour)
	orElse(&c.BreakAfter, 5)
	orElse(&c.BreakFor, 5*time.Second)
	orElse(&c.Poll, time.Second)
	orElse(&c.Shutdown, c.SendTimeout)
	orElse(&c.BacklogEvery, 15*time.Second)
	orElse(&c.Retention.Batch, 1000)
	return c, c.check()
}

// checkSigns refuses negative numbers: somebody meant something by them, and it was not the default.
func (c *Config) checkSigns() error {
	return sign.Check("outbox.Config",
		sign.Int("Concurrency", c.Concurrency), sign.Int("PerDestination", c.PerDestination), sign.Int("Batch", c.Batch),
		sign.Duration("SendTimeout", c.SendTimeout), sign.Duration("Lease", c.Lease), sign.Int("MaxAttempts", c.MaxAttempts),
		sign.Duration("Backoff", c.Backoff), sign.Duration("MaxBackoff", c.MaxBackoff), sign.Duration("MaxRetryAfter", c.MaxRetryAfter),
		sign.Duration("Window", c.Window), sign.Int("BreakAfter", c.BreakAfter), sign.Duration("BreakFor", c.BreakFor),
		sign.Duration("Poll", c.Poll), sign.Duration("Shutdown", c.Shutdown), sign.Duration("BacklogEvery", c.BacklogEvery),
		sign.Int("Retention.Batch", c.Retention.Batch))
}

// check refuses an order of times that makes duplicates, or forgets them.
func (c *Config) check() error {
	switch {
	case c.SendTimeout > c.Lease/2:
		return fmt.Errorf("idem: outbox.Config.SendTimeout (%v) must be at most half of Lease (%v): a command would be taken over while it is being sent; raise Lease, or lower SendTimeout",
			c.SendTimeout, c.Lease)
	case c.MaxBackoff < c.Backoff:
		return fmt.Errorf("idem: outbox.Config.MaxBackoff (%v) is below Backoff (%v)", c.MaxBackoff, c.Backoff)
	}
	return c.Retention.check()
}

// ErrRetention is [runtime.ErrRetention]: evidence would be removed while a replay can still come, which would then be done
// again.
var ErrRetention = runtime.ErrRetention

func (r Retention) check() error {
	return errors.Join(
		retention.Check(r.ReplayWindow, retention.Time{Name: "Retention.Keep", Keep: r.Keep}),
		sign.Check("outbox.Retention", sign.Int("Batch", r.Batch)))
}

func orElse[T int | time.Duration](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}
