package relay

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
	server *pgtest.Server
	url    string // of the database, past the proxies
	crew   *crew

	serving  sync.Mutex // one fault of the server at a time
	landings fault.Landings

	mu     sync.Mutex
	inHand int64 // commands that killed relays had in hand
}

// apply carries a fault out; landed reports whether it hit anything.
func (c *conductor) apply(ctx context.Context, f fault.Fault) (landed bool, err error) {
	switch f.Kind {
	case FaultKill:
		return c.kill(ctx, f)
	case FaultWorker:
		_, err := c.crew.kill(c.crew.workers[f.Victim])
		return true, err
	case FaultStop:
		return c.stop(ctx, f)
	case FaultCut:
		bytes, died := c.busy(ctx, f).proxy.Cut(ctx, f.Way, f.Lasts())
		return bytes > 0 || died > 0, nil
	case FaultTerminate:
		return c.terminate(ctx, f)
	case FaultRestart:
		return c.restart(ctx, f.Lasts())
	}
	return false, fmt.Errorf("no such fault")
}

// busyWait is how long a fault waits for a relay that has something in hand: the death of an idle one is no loss.
const busyWait = 5 * time.Second

// busy returns the victim, or the next relay that has something in hand when the victim has nothing.
func (c *conductor) busy(ctx context.Context, f fault.Fault) *place {
	all := c.crew.relays
	for end := time.Now().Add(busyWait); time.Now().Before(end); {
		for i := range all {
			if at := all[(f.Victim+i)%len(all)]; at.current().inHand.Load() > 0 {
				return at
			}
		}
		if !session.Sleep(ctx, time.Millisecond) {
			break
		}
	}
	return all[f.Victim]
}

func (c *conductor) kill(ctx context.Context, f fault.Fault) (landed bool, err error) {
	inHand, err := c.crew.kill(c.busy(ctx, f))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inHand += inHand
	return inHand > 0, err
}

// stop lets a relay stand still past its leases, and then go on as if nothing had happened. One that has just got rid of
// what it had in hand goes on at once, and the next one is tried.
func (c *conductor) stop(ctx context.Context, f fault.Fault) (landed bool, err error) {
	for end := time.Now().Add(busyWait); !landed && time.Now().Before(end); {
		p := c.busy(ctx, f).current()
		if err := p.Pause(); err != nil {
			if p.Failure() != nil {
				continue // it was killed in this moment
			}
			return false, err
		}
		if landed = p.inHand.Load() > 0; landed {
			session.Sleep(ctx, f.Lasts())
		}
		p.Resume()
	}
	return landed, nil
}

// terminate ends the sessions of a relay. One that has none at the moment, for another fault perhaps, is waited for.
func (c *conductor) terminate(ctx context.Context, f fault.Fault) (landed bool, err error) {
	var ended int
	for end := time.Now().Add(busyWait); ended == 0 && time.Now().Before(end); {
		at := c.busy(ctx, f)
		err = session.Patiently(ctx, c.url, func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1`,
				at.name).Scan(&ended)
		})
		if err != nil {
			return false, err
		}
	}
	return ended > 0, nil
}

func (c *conductor) restart(ctx context.Context, d time.Duration) (landed bool, err error) {
	c.serving.Lock()
	defer c.serving.Unlock()
	if err := c.server.Crash(ctx); err != nil {
		return false, err
	}
	session.Sleep(ctx, d)
	return true, c.server.Start(ctx)
}
