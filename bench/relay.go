package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/idem-go/idem/bench/await"
	"github.com/idem-go/idem/bench/ledger"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

// relaying: commands that are in a table go to a receiver of this process, 16 at a time, on kept-alive connections.
func relaying() []measurement {
	const base, slowBase = "relay/http-plain", "relay-slow/http-plain"
	return []measurement{
		{base, "the same requests without a database, by net/http", base, relayRun{sender: plainSender}.requests},
		{"relay/http-sender", "the same requests without a database, by idem's httpsender", base, relayRun{sender: httpSender}.requests},
		{"relay/idem-plain", "idem's relay with a sender of a few lines", base, relayRun{sender: plainSender}.relay},
		{"relay/idem-httpsender", "idem's relay with its httpsender", base, relayRun{sender: httpSender}.relay},
		{"relay/watermill-100", "watermill-sql, default schema, batches of 100", base, watermillRun{batch: 100}.relay},
		{"relay/watermill-500", "watermill-sql, default schema, batches of 500", base, watermillRun{batch: 500}.relay},
		{"relay/watermill-queue-100", "watermill-sql, queue schema that deletes, batches of 100", base, watermillRun{queue: true, batch: 100}.relay},
		{"relay/watermill-queue-500", "watermill-sql, queue schema that deletes, batches of 500", base, watermillRun{queue: true, batch: 500}.relay},
		{slowBase, "a receiver that takes 10 ms, without a database", slowBase, relayRun{sender: plainSender, slow: true}.requests},
		{"relay-slow/idem-plain", "idem's relay to a receiver that takes 10 ms", slowBase, relayRun{sender: plainSender, slow: true}.relay},
		{"relay-slow/watermill-queue-500", "watermill-sql to a receiver that takes 10 ms: one at a time", slowBase, watermillRun{queue: true, batch: 500, slow: true}.relay},
	}
}

const relayConcurrency = 16

var relayBody = []byte(`{"order":1,"amount":100}`)

// receiver counts requests.
type receiver struct {
	url    string
	hits   atomic.Int64
	server *http.Server
}

func newReceiver(slow bool) (*receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	v := &receiver{url: "http://" + listener.Addr().String() + "/commands"}
	v.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		if slow {
			time.Sleep(ledger.SlowTime)
		}
		v.hits.Add(1)
		w.WriteHeader(http.StatusNoContent)
	})}
	go func() { _ = v.server.Serve(listener) }()
	return v, nil
}

func (v *receiver) expect(commands int) error {
	if got := v.hits.Load(); got != int64(commands) {
		return fmt.Errorf("%d requests arrived, but it should be %d", got, commands)
	}
	return nil
}

// poster sends one command by net/http.
type poster struct{ transport *http.Transport }

func newPoster() *poster {
	return &poster{&http.Transport{MaxIdleConnsPerHost: relayConcurrency, DisableCompression: true}}
}

func (p *poster) post(ctx context.Context, url, id string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", id)
	resp, err := p.transport.RoundTrip(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	err = errors.Join(err, resp.Body.Close())
	if resp.StatusCode/100 != 2 {
		err = errors.Join(err, errors.New(resp.Status))
	}
	return err
}

// makeSender makes a sender, and what closes its connections.
type makeSender func() (outbox.Sender, func(), error)

func plainSender() (outbox.Sender, func(), error) {
	p := newPoster()
	return outbox.SenderFunc(func(ctx context.Context, c outbox.Command) outbox.Outcome {
		if err := p.post(ctx, c.To, c.ID, c.Body); err != nil {
			return outbox.Unknown(err)
		}
		return outbox.Confirmed(nil)
	}), p.transport.CloseIdleConnections, nil
}

func httpSender() (outbox.Sender, func(), error) {
	s, err := httpsender.New(httpsender.Config{AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		return nil, nil, err
	}
	return s, s.CloseIdleConnections, nil
}

// relayRun is a sender, and how long its receiver takes.
type relayRun struct {
	sender makeSender
	slow   bool
}

// commands are fewer for a slow receiver: 16 at a time it takes 1600 a second.
func (r *rig) commands(slow bool) int {
	if slow {
		return max(100, r.scale.commands/10)
	}
	return r.scale.commands
}

// requests sends without a database.
func (l relayRun) requests(ctx context.Context, r *rig) error {
	if err := r.database(ctx); err != nil { // for the meter
		return err
	}
	to, err := newReceiver(l.slow)
	if err != nil {
		return err
	}
	defer func() { _ = to.server.Close() }()
	sender, closeIdle, err := l.sender()
	if err != nil {
		return err
	}
	defer closeIdle()
	if err := r.counted(ctx); err != nil {
		return err
	}
	n := r.commands(l.slow)
	ids := make(chan string, relayConcurrency)
	group, working := errgroup.WithContext(ctx)
	r.begin()
	for range relayConcurrency {
		group.Go(func() error {
			for id := range ids {
				if o := sender.Send(working, outbox.Command{ID: id, To: to.url, Body: relayBody}); o.Err() != nil {
					return o.Err()
				}
			}
			return nil
		})
	}
	for i := range n {
		select {
		case ids <- "command_" + strconv.Itoa(i):
		case <-working.Done():
		}
	}
	close(ids)
	if err := group.Wait(); err != nil {
		return err
	}
	r.end(n)
	return to.expect(n)
}

const relayFill = `INSERT INTO commands (command_id, run_id, node, payload_digest, url, payload)
SELECT 'cmd_' || md5(i::text), 'run_' || i, 'record', sha256(i::text::bytea), $1::text, $2::bytea FROM generate_series(1, $3::integer) AS i`

// relay sends what a table has. The clock runs from the first claim until the last receipt is stored.
func (l relayRun) relay(ctx context.Context, r *rig) error {
	if err := r.database(ctx, idemTables()); err != nil {
		return err
	}
	to, err := newReceiver(l.slow)
	if err != nil {
		return err
	}
	defer func() { _ = to.server.Close() }()
	n := r.commands(l.slow)
	if _, err := r.admin.Exec(ctx, relayFill, to.url, relayBody, n); err != nil {
		return err
	}
	if err := r.ready(ctx); err != nil {
		return err
	}
	if err := l.send(ctx, r, n); err != nil {
		return err
	}
	return errors.Join(to.expect(n), r.expect(ctx, n, "delivered commands", "SELECT count(*) FROM commands WHERE state = 'delivered'"))
}

func (l relayRun) send(ctx context.Context, r *rig, n int) error {
	sender, closeIdle, err := l.sender()
	if err != nil {
		return err
	}
	defer closeIdle()
	pool, err := r.pool(ctx, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	delivered := await.NewTally(n)
	relay, err := ledger.NewCommandRelay(pool, sender, outbox.Config{
		Concurrency: relayConcurrency, PerDestination: relayConcurrency, Logger: quietly,
		Observer: outbox.ObserverFunc(func(e outbox.Event) {
			switch e.Kind {
			case outbox.EventClaimed:
				r.begin()
			case outbox.EventDelivered:
				delivered.Add()
			}
		}),
	})
	if err != nil {
		return err
	}
	working, stop := await.Background(ctx, relay.Run)
	err = delivered.Wait(working)
	if err == nil {
		r.end(n)
	}
	return errors.Join(err, stop())
}
