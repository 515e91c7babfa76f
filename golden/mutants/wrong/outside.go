package wrong

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

// CallByAttempt charges again at each attempt.
//
//idem:action wrong_call_by_attempt
func CallByAttempt(ctx runtime.Context, o shop.Order) error {
	item := fmt.Sprint(o.Key(), "/", ctx.Attempt())
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents}, provider.Item(item))
	return err
}

// CallByMintedItem charges again at each execution.
//
//idem:action wrong_call_by_minted_item
func CallByMintedItem(ctx runtime.Context, o shop.Order) error {
	item := rand.Text()
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents}, provider.Item(item))
	return err
}

// CallWithTime asks for something else at each execution, and is refused.
//
//idem:action wrong_call_with_time
func CallWithTime(ctx runtime.Context, o shop.Order) error {
	order := o.OrderID + time.Now().Format(time.RFC3339Nano)
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: order, Cents: o.Cents})
	return err
}

// CallIgnored goes on, whether the card was charged or not.
//
//idem:action wrong_call_ignored
func CallIgnored(ctx runtime.Context, o shop.Order) error {
	_, _ = shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents})
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// CallErrorHidden makes a failure of what is not known yet.
//
//idem:action wrong_call_error_hidden
func CallErrorHidden(ctx runtime.Context, o shop.Order) error {
	if _, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents}); err != nil {
		return fmt.Errorf("charging: %v", err)
	}
	return nil
}

// CallRejectionRetried hopes for another answer, which a key never gets.
//
//idem:action wrong_call_rejection_retried
func CallRejectionRetried(ctx runtime.Context, o shop.Order) error {
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents})
	if errors.Is(err, provider.ErrRejected) {
		return errors.New("the card was declined, try again")
	}
	return err
}

// CallTakenBack does not know what an earlier execution has done.
//
//idem:action wrong_call_taken_back
func CallTakenBack(ctx runtime.Context, o shop.Order) error {
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents})
	if err != nil {
		return err
	}
	return shop.UndoChargeCard(ctx)
}

// CommandOutside queues whether the step completes or not.
//
//idem:action wrong_command_outside fixture=desk
func (d *Desk) CommandOutside(ctx runtime.Context, o shop.Order) error {
	return shop.QueueNoticeTx(ctx, d.Pool, ctx.RunID(), shop.Notice{Customer: o.TenantID, About: o.OrderID, Text: []byte("paid")})
}

// CommandByAttempt has a command per attempt: the id of the one that commits is an accident.
//
//idem:action wrong_command_by_attempt
func CommandByAttempt(ctx runtime.Context, o shop.Order) error {
	about := fmt.Sprint(o.OrderID, "/", ctx.Attempt())
	return shop.QueueNotice(ctx, shop.Notice{Customer: o.TenantID, About: about, Text: []byte("paid")})
}

// TwoCommandsUnderOneID queues two commands where there is an id for one.
//
//idem:action wrong_two_commands_under_one_id
func TwoCommandsUnderOneID(ctx runtime.Context, o shop.Order) error {
	if err := shop.QueueNotice(ctx, shop.Notice{Customer: o.TenantID, About: o.OrderID, Text: []byte("paid")}); err != nil {
		return err
	}
	return shop.QueueNotice(ctx, shop.Notice{Customer: o.TenantID, About: o.OrderID, Text: []byte("sent")})
}
