package billing

import (
	"context"
	"fmt"

	"github.com/idem-go/idem/runtime"
)

// Rates knows what a unit of a currency is worth, in cents of our own.
type Rates interface {
	Cents(ctx context.Context, currency string) (int64, error)
}

// Exchange charges in foreign currencies. Its handler is a method, and so gets at the rates; clients that
// only enqueue need no Exchange.
type Exchange struct {
	Rates Rates
}

// ForeignInput asks for a charge in a foreign currency.
type ForeignInput struct {
	UserID   string
	Currency string
	Units    int64
}

// ForeignOutput says what was charged.
type ForeignOutput struct {
	AmountCents int64
}

// Payment converts and books a foreign payment.
//
//idem:step foreign_payment timeout=2s max_attempts=5 backoff=200ms fixture=exchangeFixture
func (e *Exchange) Payment(ctx runtime.Context, in ForeignInput) (ForeignOutput, error) {
	rate, err := e.Rates.Cents(ctx, in.Currency)
	if err != nil {
		return ForeignOutput{}, fmt.Errorf("rate of %s: %w", in.Currency, err)
	}
	amount := rate * in.Units
	if err := RecordLedgerEntry(ctx, LedgerEntry{UserID: in.UserID, AmountCents: amount}); err != nil {
		return ForeignOutput{}, err
	}
	return ForeignOutput{AmountCents: amount}, nil
}
