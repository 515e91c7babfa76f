package relay

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/cmd/idemlab/soak/relay/commands"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

// The variables that tell a process what it is in this soak, and on which database.
const (
	workerEnv = "IDEM_SOAK_OUTBOX_WORKER"
	relayEnv  = "IDEM_SOAK_OUTBOX_RELAY"
)

// Process returns what this process does if it is one of the soak's, else nil.
func Process(env func(string) string, out io.Writer) func(context.Context) error {
	if url := env(workerEnv); url != "" {
		return func(ctx context.Context) error { return work(ctx, url, out) }
	}
	if url := env(relayEnv); url != "" {
		return func(ctx context.Context) error { return send(ctx, url, out) }
	}
	return nil
}

// A lease as short as a send's timeout allows, so that nobody waits long for a dead relay.
const (
	relayLease  = 3 * time.Second
	sendTimeout = 1200 * time.Millisecond
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// send is what a relay process does until ctx ends: it has a relay for each table, and reports on out what they have in
// hand.
func send(ctx context.Context, url string, out io.Writer) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	sender, err := httpsender.New(httpsender.Config{AllowHTTP: true, AllowNetworks: loopback, Timeout: sendTimeout})
	if err != nil {
		return err
	}
	r := &reporter{out: out}
	cfg := outbox.Config{
		Concurrency: 32, Batch: 100, SendTimeout: sendTimeout, Lease: relayLease, MaxAttempts: 10_000, Shutdown: 2 * time.Second,
		Backoff: 50 * time.Millisecond, MaxBackoff: time.Second, BreakFor: 200 * time.Millisecond, Poll: 300 * time.Millisecond,
		Logger: slog.New(slog.DiscardHandler), Observer: outbox.ObserverFunc(r.observeRelay),
	}
	var all sync.WaitGroup
	relays := []newRelay{commands.NewNoticeRelay, commands.NewChangeRelay}
	errs := make([]error, len(relays))
	for i, r := range relays {
		all.Go(func() {
			errs[i] = keepRunning(ctx, func() (*outbox.Relay, error) { return r(pool, sender, cfg) })
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// newRelay makes a relay of one table.
type newRelay func(*pgxpool.Pool, outbox.Sender, outbox.Config) (*outbox.Relay, error)

// keepRunning runs a relay until ctx ends. One that cannot start, because the database is away, is made again, as a
// supervisor would.
func keepRunning(ctx context.Context, again func() (*outbox.Relay, error)) error {
	for ctx.Err() == nil {
		relay, err := again()
		if err != nil {
			return err
		}
		if relay.Run(ctx) != nil {
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}
