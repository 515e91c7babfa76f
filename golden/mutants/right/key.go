package right

import (
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// AttemptInKey charges under the order's key.
//
//idem:action attempt_in_key fixture=desk
func (d *Desk) AttemptInKey(ctx runtime.Context, o shop.Order) error {
	key := o.Key()
	return shop.Charge(ctx, ctx.CompletionTx(), key, o)
}

// AttemptInItem has a name that stays.
//
//idem:action attempt_in_item
func AttemptInItem(ctx runtime.Context, o shop.Order) error {
	name := "total"
	return shop.RecordLine(ctx, shop.Line{Name: name, Cents: o.Cents})
}

// MintedKey charges under the order's key.
//
//idem:action minted_key fixture=desk
func (d *Desk) MintedKey(ctx runtime.Context, o shop.Order) error {
	key := o.Key()
	return shop.Charge(ctx, ctx.CompletionTx(), key, o)
}

// TimeInKey charges under the order's key.
//
//idem:action time_in_key fixture=desk
func (d *Desk) TimeInKey(ctx runtime.Context, o shop.Order) error {
	key := o.Key()
	return shop.Charge(ctx, ctx.CompletionTx(), key, o)
}

// TenantLeftOut has the tenant in its key.
//
//idem:action tenant_left_out
func TenantLeftOut(ctx runtime.Context, o shop.Order) error {
	key := o.Key()
	return shop.Charge(ctx, ctx.CompletionTx(), key, o)
}

// ConflictPassedOver refuses another amount under its key.
//
//idem:action conflict_passed_over
func ConflictPassedOver(ctx runtime.Context, o shop.Order) error {
	return shop.Charge(ctx, ctx.CompletionTx(), o.Key(), o)
}

// NoOnConflict has what it wrote before rolled back.
//
//idem:action no_on_conflict fixture=desk
func (d *Desk) NoOnConflict(ctx runtime.Context, o shop.Order) error {
	return shop.Charge(ctx, ctx.CompletionTx(), o.Key(), o)
}

// TwoUnderOneKey has an item that tells its rows apart.
//
//idem:action two_under_one_key
func TwoUnderOneKey(ctx runtime.Context, o shop.Order) error {
	if err := shop.RecordLine(ctx, shop.Line{Name: "goods", Cents: o.Cents}); err != nil {
		return err
	}
	return shop.RecordLine(ctx, shop.Line{Name: "postage", Cents: 499})
}
