package soak

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/idem-go/idem/examples/payments/billing"
	"github.com/idem-go/idem/runtime"
)

// kind is a shape of handler. The steps of a kind are numbered from 0; kind and number are the identity by which the
// business knows them.
type kind uint8

const (
	charge   kind = iota // records an effect, nothing else
	order                // records an effect, adds to a balance that has no key, and enqueues a follow-up
	invoice              // writes under a business key at once; two steps share each key
	flaky                // writes, and then fails or panics at its first attempt
	slow                 // writes, and then outlives its first attempt
	oversize             // writes, and then returns more than its limit
	refused              // writes, and then fails for good
	receipt              // the follow-up of an order
	kinds    = int(receipt) + 1
	fed      = int(receipt) // the kinds before it are enqueued from outside
)

var nodes = [kinds]string{"charge", "order", "invoice", "flaky", "slow", "oversize", "refused", billing.SendReceiptAction.Name()}

// shares say how many of a thousand enqueued steps are of each kind.
var shares = [fed]int{charge: 550, order: 250, invoice: 170, flaky: 15, slow: 2, oversize: 6, refused: 7}

func (k kind) String() string { return nodes[k] }

// who names a step of a kind, or what it is about, for the business.
func who(k kind, n int64) string { return k.String() + "-" + strconv.FormatInt(n, 10) }

// buyer of an order: few enough that orders of one buyer meet now and then.
func buyer(n int64) string { return "buyer-" + strconv.FormatInt(n%5000, 10) }

// cents is the amount of the n-th of a kind: all different, so that a mix-up shows.
func cents(n int64) int64 { return 1000 + n }

// input is all that a step is told.
type input struct{ N int64 }

func key(in input) []runtime.EnqueueOption {
	return []runtime.EnqueueOption{runtime.WithKey("soak", strconv.FormatInt(in.N, 10))}
}

const (
	timeout  = 2 * time.Second // of an attempt
	backoff  = 100 * time.Millisecond
	maxBytes = 64 // of an output
)

var (
	chargeAction  = runtime.NewAction[input](nodes[charge], runtime.WithTimeout(timeout))
	orderAction   = runtime.NewAction[input](nodes[order], runtime.WithTimeout(timeout), runtime.WithMaxReclaims(100))
	invoiceStep   = runtime.NewStep[input, billing.InvoiceOutput](nodes[invoice], runtime.WithTimeout(timeout))
	flakyAction   = runtime.NewAction[input](nodes[flaky], runtime.WithTimeout(timeout), runtime.WithBackoff(backoff))
	slowAction    = runtime.NewAction[input](nodes[slow], runtime.WithTimeout(300*time.Millisecond), runtime.WithBackoff(backoff))
	oversizeStep  = runtime.NewStep[input, string](nodes[oversize], runtime.WithTimeout(timeout), runtime.WithMaxOutput(maxBytes))
	refusedAction = runtime.NewAction[input](nodes[refused], runtime.WithTimeout(timeout))
)

// register lets workers run every kind. around is called when a handler begins, and what it gives when it ends.
func register(r *runtime.Registry, around func(runtime.Context, kind, int64) func()) {
	action := func(a *runtime.Action[input], k kind, fn func(runtime.Context, int64) error) {
		runtime.RegisterAction(r, a, func(ctx runtime.Context, in input) error {
			defer around(ctx, k, in.N)()
			return fn(ctx, in.N)
		})
	}
	action(chargeAction, charge, doCharge)
	action(orderAction, order, doOrder)
	action(flakyAction, flaky, doFlaky)
	action(slowAction, slow, doSlow)
	action(refusedAction, refused, doRefused)
	runtime.RegisterStep(r, invoiceStep, func(ctx runtime.Context, in input) (billing.InvoiceOutput, error) {
		defer around(ctx, invoice, in.N)()
		return billing.FinalizeInvoice(ctx, billing.InvoiceInput{OrderID: who(invoice, in.N/2), TotalCents: cents(in.N / 2)})
	})
	runtime.RegisterStep(r, oversizeStep, func(ctx runtime.Context, in input) (string, error) {
		defer around(ctx, oversize, in.N)()
		return strings.Repeat("x", 2*maxBytes), book(ctx, oversize, in.N)
	})
	runtime.RegisterAction(r, billing.SendReceiptAction, func(ctx runtime.Context, in billing.ReceiptInput) error {
		n, err := strconv.ParseInt(strings.TrimPrefix(in.OrderID, order.String()+"-"), 10, 64)
		if err != nil {
			return runtime.Permanent(err)
		}
		defer around(ctx, receipt, n)()
		return billing.SendReceipt(ctx, in)
	})
}

func doCharge(ctx runtime.Context, n int64) error {
	return billing.Charge(ctx, billing.ChargeInput{UserID: who(charge, n), AmountCents: cents(n)})
}

func doOrder(ctx runtime.Context, n int64) error {
	return billing.ChargeOrder(ctx, billing.OrderInput{OrderID: who(order, n), UserID: buyer(n), AmountCents: cents(n)})
}

func doFlaky(ctx runtime.Context, n int64) error {
	err := book(ctx, flaky, n)
	if err != nil || ctx.Attempt() > 1 {
		return err
	}
	if n%2 == 1 {
		panic("an odd one panics at its first attempt")
	}
	return errors.New("an even one fails at its first attempt")
}

func doSlow(ctx runtime.Context, n int64) error {
	err := book(ctx, slow, n)
	if err == nil && ctx.Attempt() == 1 {
		//idem:ignore slowtx -- it is slow on purpose: its first attempt must time out
		<-ctx.Done()
		err = ctx.Err()
	}
	return err
}

func doRefused(ctx runtime.Context, n int64) error {
	if err := book(ctx, refused, n); err != nil {
		return err
	}
	return runtime.Permanent(errors.New("it fails for good"))
}

// book writes in both ways: a recorded row, and an amount that no key protects.
func book(ctx runtime.Context, k kind, n int64) error {
	if err := billing.RecordLedgerEntry(ctx, billing.LedgerEntry{UserID: who(k, n), AmountCents: cents(n)}); err != nil {
		return err
	}
	_, err := ctx.CompletionTx().Exec(ctx,
		`INSERT INTO accounts AS a (user_id, owed_cents) VALUES ($1, $2)
		 ON CONFLICT (user_id) DO UPDATE SET owed_cents = a.owed_cents + EXCLUDED.owed_cents`, who(k, n), cents(n))
	return err
}

// step is the identity of a step.
type step struct {
	kind kind
	n    int64
}

func (s step) String() string { return who(s.kind, s.n) }

// appendTo writes the step in the form that parseStep reads.
func (s step) appendTo(b []byte) []byte {
	b = strconv.AppendUint(b, uint64(s.kind), 10)
	b = append(b, ' ')
	return strconv.AppendInt(b, s.n, 10)
}

func parseStep(text []byte) (s step, err error) {
	first, second, _ := bytes.Cut(text, []byte(" "))
	k, err := strconv.ParseUint(string(first), 10, 8)
	if err != nil || int(k) >= kinds {
		return s, fmt.Errorf("a worker reported the step %q", text)
	}
	n, err := strconv.ParseInt(string(second), 10, 64)
	return step{kind(k), n}, err
}
