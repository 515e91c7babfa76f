package right

import (
	"errors"
	"fmt"

	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

// CallByAttempt charges under the order's key.
//
//idem:action call_by_attempt
func CallByAttempt(ctx runtime.Context, o shop.Order) error {
	item := o.Key()
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents}, provider.Item(item))
	return err
}

// CallByMintedItem charges under the order's key.
//
//idem:action call_by_minted_item
func CallByMintedItem(ctx runtime.Context, o shop.Order) error {
	item := o.Key()
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents}, provider.Item(item))
	return err
}

// CallWithTime asks for the same at each execution.
//
//idem:action call_with_time
func CallWithTime(ctx runtime.Context, o shop.Order) error {
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents})
	return err
}

// CallIgnored waits until it is known whether the card was charged.
//
//idem:action call_ignored
func CallIgnored(ctx runtime.Context, o shop.Order) error {
	if _, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents}); err != nil {
		return err
	}
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// CallErrorHidden says what went wrong, and keeps the error's kind.
//
//idem:action call_error_hidden
func CallErrorHidden(ctx runtime.Context, o shop.Order) error {
	if _, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents}); err != nil {
		return fmt.Errorf("charging: %w", err)
	}
	return nil
}

// CallRejectionRetried takes no for an answer, and goes on without the card.
//
//idem:action call_rejection_retried
func CallRejectionRetried(ctx runtime.Context, o shop.Order) error {
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents})
	if errors.Is(err, provider.ErrRejected) {
		return shop.RecordLine(ctx, shop.Line{Name: "to be paid in cash", Cents: o.Cents})
	}
	return err
}

// CallTakenBack knows that an earlier execution may have got as far as the refund.
//
//idem:action call_taken_back
func CallTakenBack(ctx runtime.Context, o shop.Order) error {
	_, err := shop.CallChargeCard(ctx, shop.CardCharge{Order: o.OrderID, Cents: o.Cents})
	if errors.Is(err, provider.ErrCompensated) {
		return nil
	}
	if err != nil {
		return err
	}
	return shop.UndoChargeCard(ctx)
}

// CommandOutside queues with the completion.
//
//idem:action command_outside fixture=desk
func (d *Desk) CommandOutside(ctx runtime.Context, o shop.Order) error {
	return shop.QueueNotice(ctx, shop.Notice{Customer: o.TenantID, About: o.OrderID, Text: []byte("paid")})
}

// CommandByAttempt has a command per order.
//
//idem:action command_by_attempt
func CommandByAttempt(ctx runtime.Context, o shop.Order) error {
	about := o.OrderID
	return shop.QueueNotice(ctx, shop.Notice{Customer: o.TenantID, About: about, Text: []byte("paid")})
}

// TwoCommandsUnderOneID has an item that tells its commands apart.
//
//idem:action two_commands_under_one_id
func TwoCommandsUnderOneID(ctx runtime.Context, o shop.Order) error {
	if err := shop.QueueNotice(ctx, shop.Notice{Customer: o.TenantID, About: o.OrderID + "/paid", Text: []byte("paid")}); err != nil {
		return err
	}
	return shop.QueueNotice(ctx, shop.Notice{Customer: o.TenantID, About: o.OrderID + "/sent", Text: []byte("sent")})
}
