package billing

import (
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime"
)

// OrderInput asks for the payment of an order.
type OrderInput struct {
	OrderID     string
	UserID      string
	AmountCents int64
}

// Payment is the payment of an order.
//
//idem:effect table=payments
type Payment struct {
	OrderID     string
	UserID      string
	AmountCents int64
	CreatedAt   time.Time `db:"created_at,default:now()"`
}

// ChargeOrder books the payment, adds it to what the customer owes, and enqueues the receipt. All three
// commit with the completion, or none does.
//
// The statement on accounts is written by hand and has no key: it is safe because it runs in the completion
// transaction.
//
//idem:action charge_order timeout=2s max_reclaims=50
func ChargeOrder(ctx runtime.Context, in OrderInput) error {
	if err := RecordPayment(ctx, Payment{OrderID: in.OrderID, UserID: in.UserID, AmountCents: in.AmountCents}); err != nil {
		return err
	}
	if _, err := ctx.CompletionTx().Exec(ctx,
		`INSERT INTO accounts AS a (user_id, owed_cents) VALUES ($1, $2)
		 ON CONFLICT (user_id) DO UPDATE SET owed_cents = a.owed_cents + EXCLUDED.owed_cents`,
		in.UserID, in.AmountCents); err != nil {
		return fmt.Errorf("add to what %s owes: %w", in.UserID, err)
	}
	_, err := runtime.EnqueueActionCompletion(ctx, SendReceiptAction, ReceiptInput{OrderID: in.OrderID, AmountCents: in.AmountCents})
	return err
}

// ReceiptInput asks for an order's receipt.
type ReceiptInput struct {
	OrderID     string
	AmountCents int64
}

// Receipt is the text of an order's receipt.
//
//idem:effect table=receipts
type Receipt struct {
	OrderID string
	Body    string
}

// SendReceipt writes the receipt that follows a paid order.
//
//idem:action send_receipt timeout=2s queue=receipts
func SendReceipt(ctx runtime.Context, in ReceiptInput) error {
	return RecordReceipt(ctx, Receipt{
		OrderID: in.OrderID,
		Body:    fmt.Sprintf("Order %s: %d.%02d paid. Thank you.", in.OrderID, in.AmountCents/100, in.AmountCents%100),
	})
}
