package outbox_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
	"github.com/idem-go/idem/runtime/pgtest"
)

// The two benchmarks below send the same requests to the same receiver, 16 at a time, one with a database behind them and
// one without. Their ratio is what the outbox costs:
//
//	go test -run '^$' -bench 'Relay|Floor' ./runtime/outbox

const benchConcurrency = 16

var benchBody = []byte(`{"order":1,"amount":100}`)

// sink is a receiver that does nothing, on kept-alive connections.
func sink(b *testing.B) (url string, hits *atomic.Int64) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	hits = &atomic.Int64{}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		hits.Add(1)
		w.WriteHeader(http.StatusNoContent)
	})}
	go func() { _ = server.Serve(listener) }()
	b.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String() + "/hook", hits
}

// BenchmarkFloor is the sender's client by hand, without a database.
func BenchmarkFloor(b *testing.B) {
	url, _ := sink(b)
	transport := &http.Transport{MaxIdleConnsPerHost: benchConcurrency, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	work := make(chan int, benchConcurrency)
	var senders sync.WaitGroup
	for range benchConcurrency {
		senders.Go(func() {
			for i := range work {
				req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(benchBody))
				if err != nil {
					b.Error(err)
					return
				}
				req.Header.Set("Idempotency-Key", fmt.Sprint(i))
				resp, err := client.Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	for i := 0; b.Loop(); i++ {
		work <- i
	}
	close(work)
	senders.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commands/s")
}

// BenchmarkSender is the HTTP sender alone.
func BenchmarkSender(b *testing.B) {
	url, _ := sink(b)
	sender := post(b)
	work := make(chan string, benchConcurrency)
	var senders sync.WaitGroup
	for range benchConcurrency {
		senders.Go(func() {
			for id := range work {
				if o := sender.Send(context.Background(), outbox.Command{ID: id, To: url, Body: benchBody}); o.Err() != nil {
					b.Error(o)
					return
				}
			}
		})
	}
	for i := 0; b.Loop(); i++ {
		work <- fmt.Sprint(i)
	}
	close(work)
	senders.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commands/s")
}

// benchCommands is how many commands one round sends.
const benchCommands = 20000

// BenchmarkRelay sends the commands that are in a table, until all are delivered.
func BenchmarkRelay(b *testing.B) {
	for _, form := range []struct {
		name   string
		table  string
		values string // of the author's columns, from i and $1, the receiver
		relay  newRelay
	}{
		{"destination", "pings (url, n, body, ", `$1::text, i, '{"order":1,"amount":100}'::bytea`, NewPingRelay},
		{"neither", "notes (text, ", `substr('{"order":1,"amount":100}' || $1::text, 1, 24)`, NewNoteRelay},
		{"ordered, 1000 keys", "webhook_outbox (url, customer, kind, payload, ", `$1::text, (i % 1000)::text, '', '{"order":1,"amount":100}'::bytea`, NewWebhookRelay},
	} {
		b.Run(form.name, func(b *testing.B) {
			benchRelay(b, form.table, form.values, form.relay)
		})
	}
}

func benchRelay(b *testing.B, table, values string, newRelay newRelay) {
	// Where servers write to the disk is part of the price.
	server := pgtest.Own(b, pgtest.Durable())
	pool, err := pgxpool.New(context.Background(), must(server.NewDatabase(context.Background(), pgtest.Migrated("outbox", migrate))))
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	bench := &bench{TB: b, pool: pool, events: &recorder{}}
	url, hits := sink(b)
	sender := post(b, func(c *httpsender.Config) { c.URL = url })
	for b.Loop() {
		b.StopTimer()
		bench.exec(`TRUNCATE pings, notes, webhook_outbox`)
		bench.exec(`INSERT INTO `+table+` command_id, run_id, node, payload_digest)
SELECT `+values+`, 'cmd_' || md5(i::text) || 'aaaa', 'run_' || i, 'charge', sha256(i::text::bytea) FROM generate_series(1, $2::integer) i`, url, benchCommands)
		bench.exec(`VACUUM ANALYZE`)
		var delivered atomic.Int64
		done := make(chan struct{})
		cfg := outbox.Config{Concurrency: benchConcurrency, PerDestination: benchConcurrency, Logger: slog.New(slog.DiscardHandler)}
		cfg.Observer = outbox.ObserverFunc(func(e outbox.Event) {
			if e.Kind == outbox.EventDelivered && delivered.Add(1) == benchCommands {
				close(done)
			}
		})
		b.StartTimer()
		stop := bench.relay(newRelay, sender, cfg)
		<-done
		stop()
	}
	b.ReportMetric(float64(b.N*benchCommands)/b.Elapsed().Seconds(), "commands/s")
	if int(hits.Load()) != b.N*benchCommands {
		b.Errorf("the receiver saw %d requests for %d commands", hits.Load(), b.N*benchCommands)
	}
}
