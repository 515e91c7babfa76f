package main

import (
	"context"

	"github.com/idem-go/idem/bench/ledger"
	"github.com/idem-go/idem/runtime"
)

// failures: a share of the steps, scattered, whose row the database refuses at the first attempt. All of them complete
// in the end.
func failures() []measurement {
	const base = "failures/idem-clean"
	return []measurement{
		{base, "no row is refused", base, failing(0, runtime.Config{})},
		{"failures/idem-1-percent", "1 % of the rows are refused at first", base, failing(1, runtime.Config{})},
		{"failures/idem-5-percent", "5 % of the rows are refused at first", base, failing(5, runtime.Config{})},
		{"failures/idem-single-steps", "no row is refused; each step commits by itself (GroupSteps: 1)", base, failing(0, runtime.Config{GroupSteps: 1})},
	}
}

func failing(percent int, cfg runtime.Config) func(context.Context, *rig) error {
	run := idemRun{action: ledger.RecordRefusedAction, register: ledger.RegisterRecordRefused, table: "ledger", config: cfg}
	return func(ctx context.Context, r *rig) error {
		if err := r.database(ctx, idemTables()); err != nil {
			return err
		}
		if err := run.enqueue(ctx, r, refusedCharges(r.steps, percent)); err != nil {
			return err
		}
		if err := r.ready(ctx); err != nil {
			return err
		}
		if err := run.work(ctx, r, r.steps); err != nil {
			return err
		}
		return run.check(ctx, r, r.steps)
	}
}

// refusedCharges scatters those that are refused over the first nine tenths: the last of them would otherwise be waited
// for, as a retry has its delay, while nothing else is left to do.
func refusedCharges(n, percent int) []ledger.Charge {
	charges := make([]ledger.Charge, n)
	among := max(1, uint64(n*9/10))
	for i := range charges {
		scattered := uint64(i) * 11400714819323198485 >> 32 % among
		charges[i] = ledger.Charge{Amount: 100, Refused: uint64(i) < among && scattered < uint64(n*percent/100)}
	}
	return charges
}
