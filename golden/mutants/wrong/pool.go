package wrong

import (
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
	"github.com/jackc/pgx/v5"
)

// PoolWrite writes where the step's completion does not roll it back.
//
//idem:action wrong_pool_write fixture=desk
func (d *Desk) PoolWrite(ctx runtime.Context, o shop.Order) error {
	return shop.Enter(ctx, d.Pool, o)
}

// OwnTransaction writes with a key, and in a transaction, which is another one than the step's.
//
//idem:action wrong_own_transaction fixture=desk
func (d *Desk) OwnTransaction(ctx runtime.Context, o shop.Order) error {
	return pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		return shop.Charge(ctx, tx, o.Key(), o)
	})
}

// HalfOutside writes one of two rows elsewhere.
//
//idem:action wrong_half_outside fixture=desk
func (d *Desk) HalfOutside(ctx runtime.Context, o shop.Order) error {
	if err := shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents}); err != nil {
		return err
	}
	return shop.Charge(ctx, d.Pool, o.Key(), o)
}

// CountOutside counts executions where it means to count orders.
//
//idem:action wrong_count_outside fixture=desk
func (d *Desk) CountOutside(ctx runtime.Context, _ shop.Order) error {
	return shop.Count(ctx, d.Pool)
}

// MarkOutside takes its own mark, which stayed when the step did not complete, for a sign that all is done.
//
//idem:action wrong_mark_outside fixture=desk
func (d *Desk) MarkOutside(ctx runtime.Context, o shop.Order) error {
	fresh, err := shop.Mark(ctx, d.Pool, o)
	if err != nil || !fresh {
		return err
	}
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// ClearOutside deletes where the step's completion does not roll it back.
//
//idem:action wrong_clear_outside fixture=desk
func (d *Desk) ClearOutside(ctx runtime.Context, o shop.Order) error {
	return shop.Clear(ctx, d.Pool, o)
}
