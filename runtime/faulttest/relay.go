package faulttest

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
	"github.com/idem-go/idem/runtime/provider/ledger"
)

// relaying is a relay of the outbox's own, in this process.
type relaying struct {
	*worker
	mu   sync.Mutex
	late []string // commands whose outcomes came after the claim was lost
}

// Observe implements [outbox.Observer].
func (r *relaying) Observe(e outbox.Event) {
	if e.Kind != outbox.EventLate {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late = append(r.late, e.CommandID)
}

func (r *relaying) cameLate(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.late, id)
}

// relay starts a relay of a table that runs until the trial's end. It reaches the database by url.
func (tr *trial) relay(t *outbox.Table, url string) *relaying {
	ctx, cancel := context.WithCancel(context.WithoutCancel(tr.ctx))
	r := &relaying{worker: &worker{cancel: cancel, done: make(chan struct{})}}
	tr.mu.Lock()
	tr.workers = append(tr.workers, r.worker)
	tr.mu.Unlock()
	go func() {
		defer close(r.done)
		if err := runRelay(ctx, url, t, tr.outside.ledger, r, 4); err != nil {
			tr.problem("the relay of %s does not start: %v", nameOf(t), err)
		}
	}()
	return r
}

// runRelay relays until ctx ends. Its times are short, and its lease outlasts the test: where it is to run out, it is made to.
func runRelay(ctx context.Context, url string, t *outbox.Table, to ledger.Client, observer outbox.Observer, concurrency int) error {
	pool, err := pgxpool.New(ctx, url) // for its configuration: it never connects
	if err != nil {
		return err
	}
	defer pool.Close()
	sender, closeIdle, err := sendTo(to)
	if err != nil {
		return err
	}
	defer closeIdle()
	relay, err := outbox.NewRelay(pool, t, sender, outbox.Config{
		Concurrency: concurrency, PerDestination: concurrency, SendTimeout: 30 * time.Second, Lease: time.Minute,
		Backoff: time.Millisecond, MaxBackoff: 5 * time.Millisecond, BreakAfter: 1000,
		Poll: 15 * time.Millisecond, PollOnly: true, Shutdown: 50 * time.Millisecond, Logger: discard, Observer: observer,
	})
	if err != nil {
		return err
	}
	return relay.Run(ctx)
}

// sendTo sends every command to the ledger, wherever it is addressed to.
func sendTo(to ledger.Client) (s outbox.Sender, closeIdle func(), err error) {
	h, err := httpsender.New(httpsender.Config{
		URL: to.URL + "/effects", AllowHTTP: true, Timeout: 30 * time.Second,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	})
	if err != nil {
		return nil, nil, err
	}
	return outbox.SenderFunc(func(ctx context.Context, c outbox.Command) outbox.Outcome {
		c.To = ""
		return h.Send(ctx, c)
	}), h.CloseIdleConnections, nil
}

// deliver relays all commands to their ends.
func (tr *trial) deliver() {
	for _, t := range tr.outboxes {
		r := tr.relay(t, tr.url)
		tr.delivered(t)
		r.stop()
	}
}

// delivered waits until no command of a table is pending.
func (tr *trial) delivered(t *outbox.Table) {
	if tr.until(func() bool { return len(tr.inState(t, outbox.StatePending)) == 0 }) {
		return
	}
	for _, c := range tr.inState(t, outbox.StatePending) {
		tr.problem("a command of %s is not delivered within %v: %s; its last error: %s", nameOf(t), tr.patience(), c.id, c.err)
	}
}

// command is a row of an outbox.
type command struct {
	table *outbox.Table
	id    string
	state outbox.State
	epoch int64
	err   string
}

// commands reads the commands of a table.
func (tr *trial) commands(t *outbox.Table) (list []command) {
	rows, err := tr.pool.Query(tr.ctx, `SELECT command_id, state, claim_epoch, COALESCE(last_error, '') FROM `+t.Effect.Table+` ORDER BY command_id`)
	if err == nil {
		defer rows.Close()
		for rows.Next() {
			c := command{table: t}
			if err = rows.Scan(&c.id, &c.state, &c.epoch, &c.err); err != nil {
				break
			}
			list = append(list, c)
		}
		if err == nil {
			err = rows.Err()
		}
	}
	if err != nil {
		tr.problem("the commands of %s cannot be read: %v", nameOf(t), err)
	}
	return list
}

func (tr *trial) inState(t *outbox.Table, state outbox.State) []command {
	return slices.DeleteFunc(tr.commands(t), func(c command) bool { return c.state != state })
}

// nameOf is a table's name for people.
func nameOf(t *outbox.Table) string { return strings.ReplaceAll(t.Effect.Table, `"`, "") }

// bookkeeping are the columns of an outbox that say how its commands were sent, not what they are.
var bookkeeping = []string{
	"attempts", "created_at", "first_attempt_at", "next_attempt_at", "claim_epoch", "claim_expires_at",
	"receipt", "receipt_digest", "last_error", "finished_at",
}

// isOutbox reports whether a table of the catalog is one that the handler queued commands to.
func (s *suite) isOutbox(t table) bool {
	return slices.ContainsFunc(s.outboxes, func(o *outbox.Table) bool {
		return t.sql == o.Effect.Table || t.sql == `"public".`+o.Effect.Table
	})
}
