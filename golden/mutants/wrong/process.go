package wrong

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"mutants.test/shop"

	"github.com/idem-go/idem/runtime"
)

// StateInMemory takes what an earlier execution did for done.
//
//idem:action wrong_state_in_memory fixture=desk
func (d *Desk) StateInMemory(ctx runtime.Context, o shop.Order) error {
	if d.served {
		return nil
	}
	d.served = true
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// StateInFile does the same with a file.
//
//idem:action wrong_state_in_file fixture=desk
func (d *Desk) StateInFile(ctx runtime.Context, o shop.Order) error {
	served := filepath.Join(d.Folder, "served")
	if _, err := os.Stat(served); err == nil {
		return nil
	}
	if err := os.WriteFile(served, nil, 0o600); err != nil {
		return err
	}
	return shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
}

// LateRecord leaves a goroutine behind that records what nothing commits any more.
//
//idem:action wrong_late_record
func LateRecord(ctx runtime.Context, o shop.Order) error {
	done := make(chan error, 1)
	go func() {
		time.Sleep(50 * time.Millisecond)
		done <- shop.RecordPayment(ctx, shop.Payment{OrderID: o.OrderID, Cents: o.Cents})
	}()
	return nil
}

// LateWrite leaves a goroutine behind that writes though the step may not complete.
//
//idem:action wrong_late_write fixture=desk
func (d *Desk) LateWrite(ctx runtime.Context, o shop.Order) error {
	done := make(chan error, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		done <- shop.Enter(context.WithoutCancel(ctx), d.Pool, o)
	}()
	return nil
}

// ContextIgnored tries on when nobody waits for it any more.
//
//idem:action wrong_context_ignored
func ContextIgnored(ctx runtime.Context, o shop.Order) error {
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err := shop.Enter(ctx, ctx.CompletionTx(), o); err == nil {
			return nil
		}
	}
	return errors.New("the journal cannot be written to")
}
