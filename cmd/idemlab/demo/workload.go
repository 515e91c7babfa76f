package demo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/examples/payments/billing"
	"github.com/idem-go/idem/runtime"
)

// workload is what is enqueued: each run has a customer or an order of its own, so that the business can
// tell a second charge from the first without looking at idem's keys.
type workload struct{ charges, orders, invoices int }

// newWorkload shares n runs out: two fifths charges, two fifths orders, the rest invoices.
func newWorkload(n int) workload {
	w := workload{charges: n * 2 / 5, orders: n * 2 / 5}
	w.invoices = n - w.charges - w.orders
	return w
}

// runs counts what is enqueued at the start.
func (w workload) runs() int { return w.charges + w.orders + w.invoices }

// steps counts the follow-ups too: each order brings a receipt.
func (w workload) steps() int { return w.charges + 2*w.orders + w.invoices }

// cents is the amount of the i-th run: all different, so that a mix-up shows.
func cents(i int) int64 { return int64(1000 + i) }

func user(i int) string  { return fmt.Sprintf("user-%05d", i) }
func order(i int) string { return fmt.Sprintf("order-%05d", i) }

func enqueue(ctx context.Context, pool *pgxpool.Pool, n int) (workload, error) {
	w, client := newWorkload(n), runtime.NewClient(pool)
	charges := make([]billing.ChargeInput, w.charges)
	for i := range charges {
		charges[i] = billing.ChargeInput{UserID: user(i), AmountCents: cents(i)}
	}
	orders := make([]billing.OrderInput, w.orders)
	for i := range orders {
		orders[i] = billing.OrderInput{OrderID: order(i), UserID: "buyer-of-" + order(i), AmountCents: cents(i)}
	}
	invoices := make([]billing.InvoiceInput, w.invoices)
	for i := range invoices {
		invoices[i] = billing.InvoiceInput{OrderID: order(i), TotalCents: cents(i)}
	}
	if _, err := billing.ChargeAction.EnqueueMany(ctx, client, charges, nil); err != nil {
		return w, err
	}
	if _, err := billing.ChargeOrderAction.EnqueueMany(ctx, client, orders, nil); err != nil {
		return w, err
	}
	_, err := billing.FinalizeInvoiceStep.EnqueueMany(ctx, client, invoices, nil)
	return w, err
}
