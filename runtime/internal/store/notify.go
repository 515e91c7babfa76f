package store

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const sqlNotify = `SELECT pg_notify($1::text, $2::text)`

// notifyPause is how long after a notification of a queue no other is sent with an enqueue. NOTIFY
// takes a lock of the whole database when it commits, so it must not come with every row; what falls
// into the pause is announced once at its end.
const notifyPause = 5 * time.Millisecond

// Notifier tells the workers of a queue that it has got work. It is safe for concurrent use.
type Notifier struct {
	DB  Execer
	SQL *Statements
	Log *slog.Logger
	Off bool // workers find steps by polling alone

	mu       sync.Mutex
	notified map[string]time.Time // when a queue was last notified
}

// Due reports whether an enqueue should notify the queue itself. If another one has just done so, the
// announcement is put off to the end of the pause.
func (n *Notifier) Due(queue string) bool {
	if n.Off {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.notified == nil {
		n.notified = map[string]time.Time{}
	}
	now := time.Now()
	since := now.Sub(n.notified[queue])
	switch {
	case since >= notifyPause:
		n.notified[queue] = now
		return true
	case since >= 0:
		// The time of the announcement to come: until then nobody needs to plan another one.
		due := n.notified[queue].Add(notifyPause)
		n.notified[queue] = due
		time.AfterFunc(due.Sub(now), func() { n.Announce(queue) })
	}
	return false
}

// Announce notifies by itself; a failure costs latency, not work, since workers also poll.
func (n *Notifier) Announce(queue string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := n.DB.Exec(ctx, n.SQL.Notify, n.SQL.Channel, queue); err != nil {
		n.Log.Debug("idem: notify failed, workers will find the steps by polling", "queue", queue, "error", err)
	}
}

// Wake notifies a queue after something was enqueued in a statement of its own.
func (n *Notifier) Wake(queue string) {
	if n.Due(queue) {
		n.Announce(queue)
	}
}
