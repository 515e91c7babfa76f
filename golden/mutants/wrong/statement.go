package wrong

import (
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// SwallowedError hides that nothing was written.
//
//idem:action wrong_swallowed_error
func SwallowedError(ctx runtime.Context, o shop.Order) error {
	_ = shop.Enter(ctx, ctx.CompletionTx(), o)
	return nil
}

// SwallowedInsert goes on without its row.
//
//idem:step wrong_swallowed_insert
func SwallowedInsert(ctx runtime.Context, o shop.Order) (bool, error) {
	_, inserted, err := shop.InsertInvoice(ctx, shop.Invoice{OrderID: o.OrderID, Cents: o.Cents})
	if err != nil {
		return false, nil
	}
	return inserted, nil
}

// SwallowedOutside hides that nothing was written elsewhere.
//
//idem:action wrong_swallowed_outside fixture=desk
func (d *Desk) SwallowedOutside(ctx runtime.Context, o shop.Order) error {
	_, _ = shop.Mark(ctx, d.Pool, o)
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// FinalError gives up for good what would go well the next time.
//
//idem:action wrong_final_error
func FinalError(ctx runtime.Context, o shop.Order) error {
	if err := shop.Enter(ctx, ctx.CompletionTx(), o); err != nil {
		return runtime.Permanent(err)
	}
	return nil
}

// OwnCommit ends the step's transaction.
//
//idem:action wrong_own_commit
func OwnCommit(ctx runtime.Context, o shop.Order) error {
	if err := shop.Enter(ctx, ctx.CompletionTx(), o); err != nil {
		return err
	}
	_, err := ctx.CompletionTx().Exec(ctx, `COMMIT`)
	return err
}

// NoSavepoint goes on in a transaction that is aborted: there is a counter of this name.
//
//idem:action wrong_no_savepoint
func NoSavepoint(ctx runtime.Context, o shop.Order) error {
	if err := shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents}); err != nil {
		return err
	}
	tx := ctx.CompletionTx()
	if _, err := tx.Exec(ctx, `INSERT INTO counters VALUES ('orders', 0)`); err != nil {
		return nil
	}
	return shop.Enter(ctx, tx, o)
}
