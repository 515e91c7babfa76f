package runtime

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"crypto/rand"
)

// Config sets a worker up. The zero value serves.
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

// withDefaults fills in what is not set, and refuses an order of times that makes duplicates.
func (c Config) withDefaults(r *Registry) (Config, error) {
	if c.Queues == nil {
		c.Queues = map[string]int{}
		for _, h := range r.handlers {
			c.Queues[h.queue] = defaultConcurrency
		}
	}
	if c.Schema == "" {
		c.Schema = DefaultSchema
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	orDuration(&c.Grace, defaultGrace)
	longest := c.longestTimeout(r)
	orDuration(&c.Lease, max(defaultLease, (longest+c.Grace)*3/2))
	orDuration(&c.Heartbeat, c.Lease/4)
	orDuration(&c.Sweep, min(c.Lease/4, 5*time.Second))
	orDuration(&c.Poll, c.defaultPoll())
	orDuration(&c.Shutdown, 20*time.Second)
	orInt(&c.Connections, 16)
	orInt(&c.Committers, 2)
	orInt(&c.GroupSteps, 100)
	orInt(&c.GroupBytes, 1<<20)
	orInt(&c.Retention.Batch, 1000)
	return c, errors.Join(c.checkTimes(longest), c.checkQueues(r), c.Retention.check())
}

func (c *Config) defaultPoll() time.Duration {
	if c.PollOnly || c.Pooler {
		return time.Second
	}
	return 2 * time.Second
}

func (c *Config) longestTimeout(r *Registry) (longest time.Duration) {
	for _, h := range r.handlers {
		if _, served := c.Queues[h.queue]; served {
			longest = max(longest, h.timeout)
		}
	}
	return longest
}

// checkTimes: a handler's timeout, with its grace, must fire before its lease runs out, and a lease must
// survive two lost heartbeats.
func (c *Config) checkTimes(longest time.Duration) error {
	for name, d := range map[string]time.Duration{
		"Lease": c.Lease, "Heartbeat": c.Heartbeat, "Sweep": c.Sweep, "Poll": c.Poll, "Grace": c.Grace, "Shutdown": c.Shutdown,
	} {
		if d < 0 {
			return fmt.Errorf("idem: Config.%s is negative (%v)", name, d)
		}
	}
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

func orDuration(d *time.Duration, otherwise time.Duration) {
	if *d == 0 {
		*d = otherwise
	}
}

func orInt(n *int, otherwise int) {
	if *n <= 0 {
		*n = otherwise
	}
}

// workerName tells workers apart for people; nothing is decided by it.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%.40s/%d/%s", host, os.Getpid(), rand.Text()[:6])
}
