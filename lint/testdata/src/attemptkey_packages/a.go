package attemptkey_packages

import (
	"context"

	"github.com/riverqueue/river"

	"attemptkey_packages/bank"
	"attemptkey_packages/keys"
)

type Args struct{ ID string }

func (Args) Kind() string { return "pay" }

type Worker struct {
	river.WorkerDefaults[Args]
	bank *bank.Client
}

func (w *Worker) Work(ctx context.Context, job *river.Job[Args]) error {
	if err := w.bank.Pay(ctx, keys.Of(job.Args.ID, job.Attempt)); err != nil { // want `\[attemptkey\]`
		return err
	}
	if err := w.bank.Transfer(ctx, bank.Order{Ref: keys.Of(job.Args.ID, job.Attempt), Try: job.Attempt}); err != nil { // want `\[attemptkey\]`
		return err
	}
	return w.bank.Transfer(ctx, bank.Order{Ref: keys.Of(job.Args.ID, 1), Try: job.Attempt})
}
