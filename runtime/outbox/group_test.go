package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/wire"
)

// Commands of steps that complete together are written by one statement per table, each step's in their order.
func TestCommandsOfAGroup(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	proxy := wire.Start(t, b.pool.Config().ConnString())
	pool := must(pgxpool.New(t.Context(), proxy.URL()))
	t.Cleanup(pool.Close)
	var single, groups atomic.Int32
	proxy.Observe(func(req wire.Request) {
		for _, sql := range req.Statements {
			switch {
			case !strings.HasPrefix(sql, `INSERT INTO "webhook_outbox"`) && !strings.HasPrefix(sql, `INSERT INTO "pings"`) && !strings.HasPrefix(sql, `INSERT INTO "notes"`):
			case strings.Contains(sql, `AS v ("run_id"`):
				groups.Add(1)
			default:
				single.Add(1)
			}
		}
	})

	const n = 40
	var all sync.WaitGroup
	all.Add(n)
	node := runtime.NewAction[int]("notify", runtime.WithMaxAttempts(1))
	reg := runtime.NewRegistry()
	runtime.RegisterAction(reg, node, func(ctx runtime.Context, i int) error {
		all.Done()
		all.Wait()
		customer := fmt.Sprint("customer ", i)
		return errors.Join(
			QueueWebhook(ctx, Webhook{URL: l.URL, Customer: customer, Kind: "z", Payload: []byte{0, 0xff}}),
			QueueWebhook(ctx, Webhook{URL: l.URL, Customer: customer, Kind: "a"}), // no payload is NULL
			QueuePing(ctx, Ping{URL: l.URL, N: i}),
			QueueNote(ctx, Note{Text: "é " + customer}),
		)
	})
	client := runtime.NewClient(b.pool)
	inputs := make([]int, n)
	for i := range inputs {
		inputs[i] = i
	}
	runs := must(node.EnqueueMany(t.Context(), client, inputs, nil))
	w := must(runtime.NewWorker(pool, reg, runtime.Config{Committers: 1, Logger: slog.New(slog.DiscardHandler)}))
	ctx, cancel := context.WithCancel(context.Background())
	done := errs(func() error { return w.Run(ctx) })
	t.Cleanup(func() { cancel(); <-done })
	for _, run := range runs {
		if s := must(client.Wait(t.Context(), run)); s.State != runtime.StateCompleted {
			t.Fatalf("%+v", s)
		}
	}

	for sql, want := range map[string]int{
		`SELECT count(*) FROM webhook_outbox`: 2 * n,
		`SELECT count(*) FROM webhook_outbox WHERE kind = 'z' AND payload = '\x00ff' OR kind = 'a' AND payload IS NULL`:                 2 * n,
		`SELECT count(*) FROM (SELECT array_agg(kind::text ORDER BY seq) AS k FROM webhook_outbox GROUP BY run_id) r WHERE k = '{z,a}'`: n,
		`SELECT count(DISTINCT n) FROM pings WHERE (convert_from(body, 'UTF8')::json ->> 'n')::int = n`:                                 n,
		`SELECT count(DISTINCT text) FROM notes WHERE text LIKE 'é customer %'`:                                                         n,
	} {
		if got := b.count(sql); got != want {
			t.Errorf("%d, want %d: %s", got, want, sql)
		}
	}
	if groups.Load() == 0 || single.Load()+groups.Load() >= 4*n {
		t.Errorf("%d statements for one command and %d for many", single.Load(), groups.Load())
	}
	b.relay(NewWebhookRelay, post(t), quick())
	b.relay(NewPingRelay, post(t), quick())
	b.settled("webhook_outbox", 2*n)
	b.settled("pings", n)
	l.is(t, 3*n, 3*n)
}
