package demo

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/examples/payments/billing"
	"github.com/idem-go/idem/runtime"
)

// Work is what a worker process does until ctx ends: it runs the example's handlers, and reports on out
// when each begins and ends.
func Work(ctx context.Context, url string, out io.Writer) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	r := &reporter{out: out}
	registry := runtime.NewRegistry()
	runtime.RegisterAction(registry, billing.ChargeAction, action(r, billing.Charge))
	runtime.RegisterAction(registry, billing.ChargeOrderAction, action(r, billing.ChargeOrder))
	runtime.RegisterAction(registry, billing.SendReceiptAction, action(r, billing.SendReceipt))
	runtime.RegisterStep(registry, billing.FinalizeInvoiceStep,
		func(ctx runtime.Context, in billing.InvoiceInput) (billing.InvoiceOutput, error) {
			defer r.inside(ctx)()
			return billing.FinalizeInvoice(ctx, in)
		})
	worker, err := runtime.NewWorker(pool, registry, runtime.Config{
		Queues: map[string]int{"default": 8, "receipts": 4},
		// A lease as short as the handlers' timeout of 2 s allows, so that nobody waits long for a dead worker.
		Lease: 2500 * time.Millisecond, Heartbeat: 500 * time.Millisecond, Sweep: 250 * time.Millisecond,
		Poll: 200 * time.Millisecond, Grace: 250 * time.Millisecond, Connections: 8,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	return worker.Run(ctx)
}

func action[In any](r *reporter, fn func(runtime.Context, In) error) func(runtime.Context, In) error {
	return func(ctx runtime.Context, in In) error {
		defer r.inside(ctx)()
		return fn(ctx, in)
	}
}

// reporter writes a line when a handler begins and when it ends.
type reporter struct {
	mu  sync.Mutex
	out io.Writer
}

// inside reports that a handler runs, and makes it slow before and after its work, as handlers are: that is
// where the kills fall.
func (r *reporter) inside(ctx runtime.Context) (done func()) {
	r.report("begin", ctx)
	dawdle()
	return func() {
		dawdle()
		r.report("end", ctx)
	}
}

func (r *reporter) report(what string, ctx runtime.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// A write that fails means that the parent is gone, and so is the reason to report.
	_, _ = fmt.Fprintf(r.out, "%s %s %s\n", what, ctx.RunID(), ctx.Node())
}

func dawdle() { time.Sleep(time.Duration(10+rand.IntN(120)) * time.Millisecond) }
