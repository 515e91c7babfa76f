package wrong

import (
	"time"

	"mutants.test/right"
	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// FollowUpByClient enqueues what stays enqueued if the step does not complete.
//
//idem:action wrong_follow_up_by_client fixture=desk
func (d *Desk) FollowUpByClient(ctx runtime.Context, o shop.Order) error {
	_, err := right.MailAction.Enqueue(ctx, d.Client, o)
	return err
}

// FollowUpByTime enqueues under a key that is another one at each execution.
//
//idem:action wrong_follow_up_by_time fixture=desk
func (d *Desk) FollowUpByTime(ctx runtime.Context, o shop.Order) error {
	key := time.Now().Format(time.RFC3339Nano)
	_, err := right.MailAction.Enqueue(ctx, d.Client, o, runtime.WithKey(o.TenantID, key))
	return err
}

// FollowUpByAttempt enqueues with the completion, and another input at each attempt.
//
//idem:action wrong_follow_up_by_attempt
func FollowUpByAttempt(ctx runtime.Context, o shop.Order) error {
	o.Cents += int64(ctx.Attempt())
	_, err := runtime.EnqueueActionCompletion(ctx, right.MailAction, o)
	return err
}

// AttemptInOutput tells its followers how often it was tried.
//
//idem:step wrong_attempt_in_output
func AttemptInOutput(ctx runtime.Context, o shop.Order) (int, error) {
	if err := shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents}); err != nil {
		return 0, err
	}
	return ctx.Attempt(), nil
}
