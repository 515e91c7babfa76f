package outbox_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/idem-go/idem/runtime"
)

// A handler may use the buffer of a command's payload again as soon as the command is queued: each customer gets his own.
func TestPayloadBuffersCanBeUsedAgain(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	type order struct{ Customer string }
	ship := runtime.NewAction[order]("ship")
	reg := runtime.NewRegistry()
	buffers := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	runtime.RegisterAction(reg, ship, func(ctx runtime.Context, in order) error {
		buf := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(buf)
		buf.Reset()
		fmt.Fprintf(buf, `{"customer":%q}`, in.Customer)
		return QueueWebhook(ctx, Webhook{URL: l.URL + "/" + in.Customer, Customer: in.Customer, Kind: "shipped", Payload: buf.Bytes()})
	})
	w, err := runtime.NewWorker(b.pool, reg, runtime.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := errs(func() error { return w.Run(ctx) })
	defer func() {
		stop()
		<-done
	}()
	orders := make([]order, 100)
	for i := range orders {
		orders[i] = order{fmt.Sprintf("c%02d", i)}
	}
	if _, err := ship.EnqueueMany(t.Context(), runtime.NewClient(b.pool), orders, nil); err != nil {
		t.Fatal(err)
	}
	b.relay(NewWebhookRelay, post(t), quick())
	b.settled("webhook_outbox", len(orders))
	for _, r := range l.seen("") {
		if to := strings.TrimPrefix(r.Path, "/"); !bytes.Contains(r.Body, fmt.Appendf(nil, "%q", to)) {
			t.Errorf("%s got %s", to, r.Body)
		}
	}
}
