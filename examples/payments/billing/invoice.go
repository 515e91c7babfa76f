package billing

import (
	"time"

	"github.com/idem-go/idem/runtime"
)

// InvoiceInput asks for an order's invoice.
type InvoiceInput struct {
	OrderID    string
	TotalCents int64
}

// InvoiceOutput names the invoice.
type InvoiceOutput struct {
	InvoiceID int64
	// Created is false when the order had its invoice already.
	Created bool
}

// Invoice is an order's invoice. The order is its key: two runs for one order give one invoice, and a
// second one with another total is an integrity error.
//
//idem:effect table=invoices key=OrderID
type Invoice struct {
	ID          int64 `db:"id,identity"`
	OrderID     string
	TotalCents  int64
	FinalizedAt time.Time `db:"finalized_at,default:now()"`
}

// FinalizeInvoice writes the order's invoice and returns its number, which the database makes.
//
//idem:step finalize_invoice timeout=2s max_output=1KiB
func FinalizeInvoice(ctx runtime.Context, in InvoiceInput) (InvoiceOutput, error) {
	stored, inserted, err := InsertInvoice(ctx, Invoice{OrderID: in.OrderID, TotalCents: in.TotalCents})
	if err != nil {
		return InvoiceOutput{}, err
	}
	return InvoiceOutput{InvoiceID: stored.ID, Created: inserted}, nil
}
