package faulttest_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/faulttest"
)

// OrderInput asks for an order to be billed.
type OrderInput struct {
	OrderID string
	Cents   int64
}

// Billing is a receiver: it reads prices from the database.
type Billing struct {
	Pool *pgxpool.Pool
}

// Bill writes one line of the ledger.
func (b *Billing) Bill(ctx runtime.Context, in OrderInput) error {
	_, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO ledger (order_id, cents) VALUES ($1, $2)`, in.OrderID, in.Cents)
	return err
}

// BillAction is the action's definition. Generated code has it.
var BillAction = runtime.NewAction[OrderInput]("bill")

// newBilling is the fixture: it inserts what the handler needs once, and makes the receiver for each database.
func newBilling(f *faulttest.F) *Billing {
	if f.First {
		if _, err := f.Pool.Exec(f.Context(), `INSERT INTO orders (id) VALUES ('o-1')`); err != nil {
			f.Fatalf("insert the order: %v", err)
		}
	}
	return &Billing{Pool: f.Pool}
}

// A handler that is a method needs a fixture that makes its receiver. For a function, Run and Input take its place.
func Example() {
	_ = func(t *testing.T) { // TestBill_Faults
		faulttest.Action(t, BillAction, faulttest.Handler[OrderInput]{
			Migrations: "../migrations",
			Fixture: func(f *faulttest.F) (func(runtime.Context, OrderInput) error, OrderInput) {
				return newBilling(f).Bill, OrderInput{OrderID: "o-1", Cents: 1}
			},
		})
	}
}
