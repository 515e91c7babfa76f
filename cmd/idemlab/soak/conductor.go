package soak

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/session"
	"github.com/idem-go/idem/runtime/pgtest"
)

// conductor lets the faults happen.
type conductor struct {
	server  *pgtest.Server
	url     string // of the database, past the proxies
	crew    *crew
	feeder  *place // where the feeder's connections pass
	tracker *tracker

	serving  sync.Mutex // one fault of the server at a time
	landings fault.Landings
}

// apply carries a fault out; landed reports whether it hit anything.
func (c *conductor) apply(ctx context.Context, f fault.Fault) (landed bool, err error) {
	switch f.Kind {
	case FaultKill:
		inHand, err := c.crew.kill(c.busy(f))
		return inHand > 0, err
	case FaultStop:
		return c.stop(ctx, c.busy(f), f.Lasts())
	case FaultCut:
		p := c.victim(f)
		defer p.trouble(startingTime)()
		bytes, died := p.proxy.Cut(ctx, f.Way, f.Lasts())
		return bytes > 0 || died > 0, nil
	case FaultTerminate:
		return c.terminate(ctx, c.victim(f))
	case FaultRestart:
		return c.restart(ctx, f.Lasts())
	case FaultReadOnly:
		return c.readOnly(ctx, f.Lasts())
	case FaultSnapshot:
		return c.snapshot(ctx, f.Lasts())
	}
	return false, fmt.Errorf("no such fault")
}

// busy returns the victim, or the next worker that holds steps when the victim holds none: its death would be no loss.
func (c *conductor) busy(f fault.Fault) *place {
	all := c.crew.places
	for i := range all {
		if p := all[(f.Victim+i)%len(all)]; c.tracker.inHand(p.current()) > 0 {
			return p
		}
	}
	return all[f.Victim]
}

func (c *conductor) victim(f fault.Fault) *place {
	if f.Victim < len(c.crew.places) {
		return c.crew.places[f.Victim]
	}
	return c.feeder
}

// stop lets a worker stand still past its leases, and then go on as if nothing had happened.
func (c *conductor) stop(ctx context.Context, p *place, d time.Duration) (bool, error) {
	w := p.current()
	inHand := c.tracker.inHand(w)
	defer p.trouble(startingTime)()
	if err := w.Pause(); err != nil {
		if w.Failure() != nil {
			return false, nil // it was killed in this moment
		}
		return false, err
	}
	defer w.Resume()
	session.Sleep(ctx, d)
	return inHand > 0, nil
}

func (c *conductor) terminate(ctx context.Context, p *place) (landed bool, err error) {
	defer p.trouble(startingTime)()
	var ended int
	err = c.admin(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1`,
			p.name).Scan(&ended)
	})
	return ended > 0, err
}

func (c *conductor) restart(ctx context.Context, d time.Duration) (landed bool, err error) {
	c.serving.Lock()
	defer c.serving.Unlock()
	completed, _ := c.tracker.snapshot()
	back := c.tracker.away()
	if err := c.server.Crash(ctx); err != nil {
		return false, err
	}
	session.Sleep(ctx, d)
	err = c.server.Start(ctx)
	back(err == nil)
	return completed.completed > 0, err
}

// readOnly makes the server refuse writes, as one does that has been demoted.
func (c *conductor) readOnly(ctx context.Context, d time.Duration) (landed bool, err error) {
	c.serving.Lock()
	defer c.serving.Unlock()
	_, before := c.tracker.snapshot()
	back := c.tracker.away()
	defer back(false)
	if err := c.demote(ctx, "on"); err != nil {
		return false, err
	}
	session.Sleep(ctx, d)
	if err := c.demote(context.WithoutCancel(ctx), "off"); err != nil {
		return false, err
	}
	_, after := c.tracker.snapshot()
	return after > before, nil
}

func (c *conductor) demote(ctx context.Context, to string) error {
	return c.admin(ctx, func(conn *pgx.Conn) error {
		for _, sql := range []string{
			`ALTER SYSTEM SET default_transaction_read_only = ` + to,
			`SELECT pg_reload_conf()`,
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'soak-%'`,
		} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// snapshot keeps a snapshot open that does nothing; it has landed if others wrote meanwhile.
func (c *conductor) snapshot(ctx context.Context, d time.Duration) (landed bool, err error) {
	err = c.admin(ctx, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current_snapshot()`); err != nil {
			return err
		}
		session.Sleep(ctx, d/2)
		// An error is no failure: the server may have been restarted under it.
		_ = conn.QueryRow(ctx, `SELECT age(backend_xmin) > 0 FROM pg_stat_activity WHERE pid = pg_backend_pid()`).Scan(&landed)
		session.Sleep(ctx, d/2)
		return nil
	})
	return landed, err
}

// admin runs op on a session of its own that takes part in no fault but a restart of the server.
func (c *conductor) admin(ctx context.Context, op func(*pgx.Conn) error) error {
	return session.Patiently(ctx, c.url, op)
}
