package billing

import (
	"context"
	"errors"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/faulttest"
)

// exchangeFixture returns an Exchange that knows one rate, and a payment in its currency.
func exchangeFixture(*faulttest.F) (*Exchange, ForeignInput) {
	return &Exchange{Rates: rates{"eur": 108}}, ForeignInput{UserID: "UserID", Currency: "eur", Units: 3}
}

var errUnknownCurrency = errors.New("unknown currency")

// rates are fixed. An unknown currency is an error that no retry mends.
type rates map[string]int64

// Cents implements [Rates].
func (r rates) Cents(_ context.Context, currency string) (int64, error) {
	cents, known := r[currency]
	if !known {
		return 0, runtime.Permanent(errUnknownCurrency)
	}
	return cents, nil
}
