package right

import (
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// Mail is what follows an order.
//
//idem:action mail
func Mail(ctx runtime.Context, o shop.Order) error {
	return shop.Enter(ctx, ctx.CompletionTx(), o)
}

// FollowUpByClient enqueues with the completion.
//
//idem:action follow_up_by_client fixture=desk
func (d *Desk) FollowUpByClient(ctx runtime.Context, o shop.Order) error {
	_, err := runtime.EnqueueActionCompletion(ctx, MailAction, o)
	return err
}

// FollowUpByTime enqueues with the completion, and under a key that stays.
//
//idem:action follow_up_by_time fixture=desk
func (d *Desk) FollowUpByTime(ctx runtime.Context, o shop.Order) error {
	key := o.OrderID
	_, err := runtime.EnqueueActionCompletion(ctx, MailAction, o, runtime.WithKey(o.TenantID, key))
	return err
}

// FollowUpByAttempt enqueues with the same input at each attempt.
//
//idem:action follow_up_by_attempt
func FollowUpByAttempt(ctx runtime.Context, o shop.Order) error {
	_, err := runtime.EnqueueActionCompletion(ctx, MailAction, o)
	return err
}

// AttemptInOutput tells its followers nothing of how often it was tried.
//
//idem:step attempt_in_output
func AttemptInOutput(ctx runtime.Context, o shop.Order) (int, error) {
	if err := shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents}); err != nil {
		return 0, err
	}
	return int(o.Cents), nil
}
