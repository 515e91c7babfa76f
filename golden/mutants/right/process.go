package right

import (
	"time"

	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// StateInMemory does at each execution what the step is to do.
//
//idem:action state_in_memory fixture=desk
func (d *Desk) StateInMemory(ctx runtime.Context, o shop.Order) error {
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// StateInFile does the same without a file.
//
//idem:action state_in_file fixture=desk
func (d *Desk) StateInFile(ctx runtime.Context, o shop.Order) error {
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// LateRecord waits for its goroutine.
//
//idem:action late_record
func LateRecord(ctx runtime.Context, o shop.Order) error {
	done := make(chan error, 1)
	go func() {
		time.Sleep(50 * time.Millisecond)
		done <- shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
	}()
	return <-done
}

// LateWrite waits for its goroutine, which writes with the completion.
//
//idem:action late_write fixture=desk
func (d *Desk) LateWrite(ctx runtime.Context, o shop.Order) error {
	done := make(chan error, 1)
	go func() {
		time.Sleep(50 * time.Millisecond)
		done <- shop.Enter(ctx, ctx.CompletionTx(), o)
	}()
	return <-done
}

// ContextIgnored leaves it to the runtime when it is tried again.
//
//idem:action context_ignored
func ContextIgnored(ctx runtime.Context, o shop.Order) error {
	return shop.Enter(ctx, ctx.CompletionTx(), o)
}
