package billing

import (
	"context"
	"errors"
	"testing"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/faulttest"
)

func TestCharge_Faults(t *testing.T) {
	faulttest.Action(t, ChargeAction, faulttest.Handler[ChargeInput]{
		Migrations: "../migrations",
		Run:        Charge,
		Input:      ChargeInput{UserID: "UserID", AmountCents: 1},
	})
}

func TestChargeOrder_Faults(t *testing.T) {
	faulttest.Action(t, ChargeOrderAction, faulttest.Handler[OrderInput]{
		Migrations: "../migrations",
		Run:        ChargeOrder,
		Input:      OrderInput{OrderID: "OrderID", UserID: "UserID", AmountCents: 1},
	})
}

func TestFinalizeInvoice_Faults(t *testing.T) {
	faulttest.Step(t, FinalizeInvoiceStep, faulttest.StepHandler[InvoiceInput, InvoiceOutput]{
		Migrations: "../migrations",
		Run:        FinalizeInvoice,
		Input:      InvoiceInput{OrderID: "OrderID", TotalCents: 1},
	})
}

func TestSendReceipt_Faults(t *testing.T) {
	faulttest.Action(t, SendReceiptAction, faulttest.Handler[ReceiptInput]{
		Migrations: "../migrations",
		Run:        SendReceipt,
		Input:      ReceiptInput{OrderID: "OrderID", AmountCents: 1},
	})
}

func TestExchangePayment_Faults(t *testing.T) {
	faulttest.Step(t, ExchangePaymentStep, faulttest.StepHandler[ForeignInput, ForeignOutput]{
		Migrations: "../migrations",
		Fixture: func(f *faulttest.F) (func(runtime.Context, ForeignInput) (ForeignOutput, error), ForeignInput) {
			return exchangeFixture(f).Payment, ForeignInput{UserID: "UserID", Currency: "eur", Units: 3}
		},
	})
}

// exchangeFixture gives an Exchange that knows one rate.
func exchangeFixture(*faulttest.F) *Exchange { return &Exchange{Rates: rates{"eur": 108}} }

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
