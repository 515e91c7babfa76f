package runtime

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/idem-go/idem/runtime/internal/sign"
)

// Config sets a worker up. The zero value serves. A field that is zero has its default; a negative one is refused.
type Config struct {
	// Schema has the runtime's tables. Default: [DefaultSchema].
	Schema string
	// Queues are the queues that the worker serves, with how many of their steps it runs at a time.
	// Default: 100 for each queue that a registered handler names.
	Queues map[string]int
	// Lease is how long a step stays with a worker that does not answer any more. It must be longer
	// than each handler's timeout and Grace together. Default: 60 s, or more if a handler's timeout
	// asks for it. Handlers with long timeouts delay the recovery of the others: give them a worker of
	// their own.
	Lease time.Duration
	// Heartbeat is how often leases are renewed: at most a third of Lease. Default: a quarter of it.
	Heartbeat time.Duration
	// Sweep is how often each worker looks for leases that have run out. Default: a quarter of Lease,
	// at most 5 s. The actual pauses are jittered.
	Sweep time.Duration
	// Poll is how long a worker waits before it looks for steps that nobody announced. Default: 2 s, and 1 s where it
	// does not listen to announcements.
	Poll time.Duration
	// Grace is how long a handler may go on after its timeout, or after the worker was told to stop,
	// before its step is given back without it. Default: 5 s.
	Grace time.Duration
	// Shutdown is how long a stopping worker lets its handlers finish. Default: 20 s.
	Shutdown time.Duration
	// Connections bounds the connections for handlers that use their completion transaction directly.
	// Default: 16. The worker holds Committers + 3 more, and up to 4 for provider calls.
	Connections int
	// Committers is how many groups are committed at the same time, at most. Default: 2.
	Committers int
	// GroupSteps and GroupBytes bound what is committed together. Default: 100 steps, 1 MiB.
	GroupSteps, GroupBytes int
	// Retention says what becomes of steps that have ended. Default: they stay.
	Retention Retention
	// Pooler: the database is behind a pooler in transaction mode, such as PgBouncer. The worker then
	// keeps no session state: it polls instead of listening, and sets its timeouts per transaction.
	// The pool's query exec mode must suit the pooler too, see the README.
	Pooler bool
	// PollOnly: do not listen for notifications.
	PollOnly bool
	// Logger takes the worker's log. Default: slog's.
	Logger *slog.Logger
	// Observer is told what happens. Default: nobody.
	Observer Observer
}

const (
	defaultLease       = time.Minute
	defaultGrace       = 5 * time.Second
	defaultConcurrency = 100
	// leaseMargin is what a lease leaves beyond the longest attempt at least.
	leaseMargin = time.Second
)

// withDefaults fills in what is not set, and refuses what is negative and an order of times that makes duplicates.
func (c Config) withDefaults(r *Registry) (Config, error) {
	if err := c.checkSigns(); err != nil {
		return c, err
	}
	if c.Queues == nil {
		c.Queues = map[string]int{}
		for _, h := range r.handlers {
			c.Queues[h.Queue] = defaultConcurrency
		}
	}
	c.Schema = cmp.Or(c.Schema, DefaultSchema)
	c.Logger = cmp.Or(c.Logger, slog.Default())
	c.Grace = cmp.Or(c.Grace, defaultGrace)
	longest := c.longestTimeout(r)
	c.Lease = cmp.Or(c.Lease, max(defaultLease, (longest+c.Grace)*3/2))
	c.Heartbeat = cmp.Or(c.Heartbeat, c.Lease/4)
	c.Sweep = cmp.Or(c.Sweep, min(c.Lease/4, 5*time.Second))
	c.Poll = cmp.Or(c.Poll, c.defaultPoll())
	c.Shutdown = cmp.Or(c.Shutdown, 20*time.Second)
	c.Connections = cmp.Or(c.Connections, 16)
	c.Committers = cmp.Or(c.Committers, 2)
	c.GroupSteps = cmp.Or(c.GroupSteps, 100)
	c.GroupBytes = cmp.Or(c.GroupBytes, 1<<20)
	c.Retention.Batch = cmp.Or(c.Retention.Batch, 1000)
	return c, errors.Join(c.checkTimes(longest), c.checkQueues(r), c.Retention.check())
}

// checkSigns refuses negative numbers: somebody meant something by them, and it was not the default.
func (c *Config) checkSigns() error {
	return sign.Check("Config",
		sign.Duration("Lease", c.Lease), sign.Duration("Heartbeat", c.Heartbeat), sign.Duration("Sweep", c.Sweep),
		sign.Duration("Poll", c.Poll), sign.Duration("Grace", c.Grace), sign.Duration("Shutdown", c.Shutdown),
		sign.Int("Connections", c.Connections), sign.Int("Committers", c.Committers),
		sign.Int("GroupSteps", c.GroupSteps), sign.Int("GroupBytes", c.GroupBytes), sign.Int("Retention.Batch", c.Retention.Batch))
}

func (c *Config) defaultPoll() time.Duration {
	if c.PollOnly || c.Pooler {
		return time.Second
	}
	return 2 * time.Second
}

func (c *Config) longestTimeout(r *Registry) (longest time.Duration) {
	for _, h := range r.handlers {
		if _, served := c.Queues[h.Queue]; served {
			longest = max(longest, h.Timeout)
		}
	}
	return longest
}

// checkTimes: a handler's timeout, with its grace, must fire before its lease runs out, and a lease must
// survive two lost heartbeats.
func (c *Config) checkTimes(longest time.Duration) error {
	switch {
	case longest+c.Grace >= c.Lease:
		return fmt.Errorf("idem: the longest timeout (%v) with Config.Grace (%v) must be shorter than Config.Lease (%v): a step would be taken over while its handler still runs; raise Lease, or lower the timeout",
			longest, c.Grace, c.Lease)
	case c.Heartbeat > c.Lease/3:
		return fmt.Errorf("idem: Config.Heartbeat (%v) must be at most a third of Config.Lease (%v): a lease must outlive a lost heartbeat", c.Heartbeat, c.Lease)
	}
	return nil
}

func (c *Config) checkQueues(r *Registry) error {
	for _, name := range slices.Sorted(maps.Keys(c.Queues)) {
		if c.Queues[name] < 1 {
			return fmt.Errorf("idem: Config.Queues[%q] is %d; at least one step must be able to run", name, c.Queues[name])
		}
		if len(r.names(name)) == 0 {
			return fmt.Errorf("idem: Config.Queues[%q]: no registered handler belongs to this queue", name)
		}
	}
	if len(c.Queues) == 0 {
		return errors.New("idem: no handler is registered; call the generated Register functions first")
	}
	return nil
}

// idleTimeout ends a transaction whose worker does not answer any more. It is longer than the lease, so
// that a step is taken over first and its late transaction can only fail.
func (c *Config) idleTimeout() time.Duration { return c.Lease + c.Lease/2 + leaseMargin }

// keepalives let the server notice within about a lease that the network to a worker is dead. A request that was cut
// in its middle holds its locks until then: the server waits for the rest of it, which neither its idle timeout nor
// its statement timeout ends, and its own keepalives begin after two hours. They mean nothing on a Unix socket.
func (c *Config) keepalives() map[string]string {
	const probes = 3
	seconds := func(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
	idle, interval := seconds(c.Lease/2), seconds(c.Lease/2/probes)
	return map[string]string{
		"tcp_keepalives_idle":     strconv.FormatInt(idle, 10),
		"tcp_keepalives_interval": strconv.FormatInt(interval, 10),
		"tcp_keepalives_count":    strconv.Itoa(probes),
		"tcp_user_timeout":        strconv.FormatInt((idle+probes*interval)*1000, 10), // in milliseconds
	}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// pooledIdleTimeout is what a transaction sets by itself, behind a pooler; "" elsewhere.
func (c *Config) pooledIdleTimeout() string {
	if !c.Pooler {
		return ""
	}
	return milliseconds(c.idleTimeout())
}

// workerName tells workers apart for people; nothing is decided by it.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%.40s/%d/%s", host, os.Getpid(), rand.Text()[:6])
}
