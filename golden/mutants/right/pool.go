package right

import (
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// PoolWrite writes in the transaction that completes the step.
//
//idem:action pool_write fixture=desk
func (d *Desk) PoolWrite(ctx runtime.Context, o shop.Order) error {
	return shop.Enter(ctx, ctx.CompletionTx(), o)
}

// OwnTransaction needs none.
//
//idem:action own_transaction fixture=desk
func (d *Desk) OwnTransaction(ctx runtime.Context, o shop.Order) error {
	return shop.Charge(ctx, ctx.CompletionTx(), o.Key(), o)
}

// HalfOutside writes both rows with the completion.
//
//idem:action half_outside fixture=desk
func (d *Desk) HalfOutside(ctx runtime.Context, o shop.Order) error {
	if err := shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents}); err != nil {
		return err
	}
	return shop.Charge(ctx, ctx.CompletionTx(), o.Key(), o)
}

// CountOutside counts orders: what an execution counts that does not complete is rolled back.
//
//idem:action count_outside fixture=desk
func (d *Desk) CountOutside(ctx runtime.Context, _ shop.Order) error {
	return shop.Count(ctx, ctx.CompletionTx())
}

// MarkOutside has its mark commit with what it stands for.
//
//idem:action mark_outside fixture=desk
func (d *Desk) MarkOutside(ctx runtime.Context, o shop.Order) error {
	fresh, err := shop.Mark(ctx, ctx.CompletionTx(), o)
	if err != nil || !fresh {
		return err
	}
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// ClearOutside deletes with the completion.
//
//idem:action clear_outside fixture=desk
func (d *Desk) ClearOutside(ctx runtime.Context, o shop.Order) error {
	return shop.Clear(ctx, ctx.CompletionTx(), o)
}
