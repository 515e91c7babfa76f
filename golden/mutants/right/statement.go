package right

import (
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// SwallowedError says that nothing was written.
//
//idem:action swallowed_error
func SwallowedError(ctx runtime.Context, o shop.Order) error {
	return shop.Enter(ctx, ctx.CompletionTx(), o)
}

// SwallowedInsert does not go on without its row.
//
//idem:step swallowed_insert
func SwallowedInsert(ctx runtime.Context, o shop.Order) (bool, error) {
	_, inserted, err := shop.InsertInvoice(ctx, shop.Invoice{OrderID: o.OrderID, Cents: o.Cents})
	if err != nil {
		return false, err
	}
	return inserted, nil
}

// SwallowedOutside writes in one place, and says if it cannot.
//
//idem:action swallowed_outside fixture=desk
func (d *Desk) SwallowedOutside(ctx runtime.Context, o shop.Order) error {
	if _, err := shop.Mark(ctx, ctx.CompletionTx(), o); err != nil {
		return err
	}
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// FinalError may be tried again.
//
//idem:action final_error
func FinalError(ctx runtime.Context, o shop.Order) error {
	if err := shop.Enter(ctx, ctx.CompletionTx(), o); err != nil {
		return err
	}
	return nil
}

// OwnCommit leaves the end of the step's transaction to the runtime.
//
//idem:action own_commit
func OwnCommit(ctx runtime.Context, o shop.Order) error {
	return shop.Enter(ctx, ctx.CompletionTx(), o)
}

// NoSavepoint goes back to a savepoint: there is a counter of this name.
//
//idem:action no_savepoint
func NoSavepoint(ctx runtime.Context, o shop.Order) error {
	if err := shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents}); err != nil {
		return err
	}
	tx := ctx.CompletionTx()
	if _, err := tx.Exec(ctx, `SAVEPOINT counted`); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO counters VALUES ('orders', 0)`); err != nil {
		if _, err := tx.Exec(ctx, `ROLLBACK TO SAVEPOINT counted`); err != nil {
			return err
		}
	}
	return shop.Enter(ctx, tx, o)
}
