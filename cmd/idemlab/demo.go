package main

import (
	"context"
	"io"
	"math/rand/v2"

	"github.com/idem-go/idem/cmd/idemlab/demo"
	"github.com/idem-go/idem/cmd/idemlab/fleet"
	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/cmd/internal/lab"
)

// runDemo is the demonstration, or one of its workers.
func runDemo(ctx context.Context, c *cli.Console, _ *cli.Command, o lab.DemoOptions) error {
	if url := c.Env(demo.WorkerEnv); url != "" {
		return fleet.Serve(ctx, func(ctx context.Context) error { return demo.Work(ctx, url, c.Out) })
	}
	report, err := demo.Run(ctx, demo.Options{
		Runs: o.Runs, Workers: o.Workers, Kills: o.Kills, Seed: seed(o.Seed),
	}, c.Out, c.Terminal())
	return tell(c, report, err)
}

// seed is the one asked for, or any.
func seed(asked uint64) uint64 {
	if asked == 0 {
		return rand.Uint64N(1_000_000) + 1
	}
	return asked
}

// report is what the demonstration or a soak has found.
type report interface {
	Write(io.Writer) error
	Fine() bool
}

func tell(c *cli.Console, r report, err error) error {
	if err != nil {
		return err
	}
	if err := r.Write(c.Out); err != nil {
		return err
	}
	if !r.Fine() {
		return cli.ErrFindings
	}
	return nil
}
