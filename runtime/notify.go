package runtime

import (
	"context"
	"time"
)

const sqlNotify = `SELECT pg_notify($1::text, $2::text)`

// notifyPause is how long after a notification of a queue no other is sent with an enqueue. NOTIFY
// takes a lock of the whole database when it commits, so it must not come with every row; what falls
// into the pause is announced once at its end.
const notifyPause = 5 * time.Millisecond

// mayNotify tells whether an enqueue should notify the queue itself. If another one has just done so, the
// announcement is put off to the end of the pause.
func (c *Client) mayNotify(queue string) bool {
	if !c.notify {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	since := now.Sub(c.notified[queue])
	switch {
	case since >= notifyPause:
		c.notified[queue] = now
		return true
	case since >= 0:
		// The time of the announcement to come: until then nobody needs to plan another one.
		due := c.notified[queue].Add(notifyPause)
		c.notified[queue] = due
		time.AfterFunc(due.Sub(now), func() { c.announce(queue) })
	}
	return false
}

// announce notifies by itself; a failure costs latency, not work, since workers also poll.
func (c *Client) announce(queue string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := c.db.Exec(ctx, sqlNotify, c.sql.channel, queue); err != nil {
		c.log.Debug("idem: notify failed, workers will find the steps by polling", "queue", queue, "error", err)
	}
}

// wake notifies a queue after something was enqueued in a statement of its own.
func (c *Client) wake(queue string) {
	if c.mayNotify(queue) {
		c.announce(queue)
	}
}
