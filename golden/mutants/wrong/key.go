package wrong

import (
	"crypto/rand"
	"fmt"
	"time"

	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// AttemptInKey charges under another key at each attempt.
//
//idem:action wrong_attempt_in_key fixture=desk
func (d *Desk) AttemptInKey(ctx runtime.Context, o shop.Order) error {
	key := fmt.Sprint(o.Key(), "/", ctx.Attempt())
	return shop.Charge(ctx, d.Pool, key, o)
}

// AttemptInItem does the same with a generated effect: the key of the row that commits is an accident.
//
//idem:action wrong_attempt_in_item
func AttemptInItem(ctx runtime.Context, o shop.Order) error {
	name := fmt.Sprint("total ", ctx.Attempt())
	return shop.RecordLine(ctx, shop.Line{Name: name, Cents: o.Cents})
}

// MintedKey charges under another key at each execution.
//
//idem:action wrong_minted_key fixture=desk
func (d *Desk) MintedKey(ctx runtime.Context, o shop.Order) error {
	key := rand.Text()
	return shop.Charge(ctx, d.Pool, key, o)
}

// TimeInKey charges under another key at another time.
//
//idem:action wrong_time_in_key fixture=desk
func (d *Desk) TimeInKey(ctx runtime.Context, o shop.Order) error {
	key := o.Key() + time.Now().Format(time.RFC3339Nano)
	return shop.Charge(ctx, d.Pool, key, o)
}

// TenantLeftOut takes the order of one tenant for that of another.
//
//idem:action wrong_tenant_left_out
func TenantLeftOut(ctx runtime.Context, o shop.Order) error {
	key := o.OrderID
	return shop.Charge(ctx, ctx.CompletionTx(), key, o)
}

// ConflictPassedOver does not look at what stands under its key.
//
//idem:action wrong_conflict_passed_over
func ConflictPassedOver(ctx runtime.Context, o shop.Order) error {
	return shop.ChargeOrPass(ctx, ctx.CompletionTx(), o.Key(), o)
}

// NoOnConflict has a key, and fails at it when it runs again.
//
//idem:action wrong_no_on_conflict fixture=desk
func (d *Desk) NoOnConflict(ctx runtime.Context, o shop.Order) error {
	return shop.ChargeOrFail(ctx, d.Pool, o.Key(), o)
}

// TwoUnderOneKey writes two rows where there is a key for one.
//
//idem:action wrong_two_under_one_key
func TwoUnderOneKey(ctx runtime.Context, o shop.Order) error {
	if err := shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents}); err != nil {
		return err
	}
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: 499})
}
