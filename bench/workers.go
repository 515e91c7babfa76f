package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/idem-go/idem/bench/process"
)

// severalWorkers: processes that share one database.
func severalWorkers() []measurement {
	const base = "workers/idem-1"
	return []measurement{
		{base, "one worker process", base, processes(1)},
		{"workers/idem-2", "two worker processes", base, processes(2)},
		{"workers/idem-4", "four worker processes", base, processes(4)},
	}
}

// processes measures n worker processes on three times -n steps, so that their start does not count for much.
func processes(n int) func(context.Context, *rig) error {
	return func(ctx context.Context, r *rig) error {
		program, err := r.worker.path(ctx)
		if err != nil {
			return err
		}
		steps := 3 * r.steps
		if err := r.database(ctx, idemTables()); err != nil {
			return err
		}
		if err := recorded.enqueue(ctx, r, charges(steps)); err != nil {
			return err
		}
		if err := r.ready(ctx); err != nil {
			return err
		}
		if err := workTogether(ctx, r, program, n, steps); err != nil {
			return err
		}
		return recorded.check(ctx, r, steps)
	}
}

func workTogether(ctx context.Context, r *rig, program string, n, steps int) (err error) {
	reports := make(chan childReport)
	children := make([]*child, n)
	for i := range children {
		if children[i], err = startChild(ctx, program, process.Task{Kind: process.Work, URL: r.url}, reports); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, children[i].stop()) }()
		r.meter.others = append(r.meter.others, children[i].pid())
	}
	for _, c := range children {
		if err := c.tell(process.Go); err != nil {
			return err
		}
	}
	done := map[*child]int{}
	for total := 0; total < steps; {
		report, err := nextReport(ctx, reports)
		if err != nil {
			return err
		}
		r.begin()
		total += report.Steps - done[report.from]
		done[report.from] = report.Steps
	}
	r.end(steps)
	for i, c := range children {
		r.sample.Note += fmt.Sprintf(" %d:%d", i+1, done[c])
	}
	return nil
}
