package main

import (
	"context"
	"math/rand/v2"

	"github.com/idem-go/idem/cmd/idem/demo"
	"github.com/idem-go/idem/cmd/idem/fleet"
)

func demoVerb() *command {
	cmd := &command{
		name:    "idem demo",
		summary: "Kill workers while they charge customers, and count what is left behind.",
		text: `The demonstration starts a Postgres of its own, enqueues runs of the payments example, and works
on them with several processes. While they work it kills some of them with SIGKILL. At the end it counts
what the handlers wrote, by customer and order: each effect must be there once.

It needs a Postgres on this machine (server binaries are enough, also as root), or IDEM_DATABASE_URL with
a role that may create databases, or a network from which it can fetch the binaries.

Exit status: 0 when every effect happened once, 1 when one is duplicated or lost.`,
		flags: newFlags(),
	}
	var o demo.Options
	cmd.flags.IntVar(&o.Runs, "runs", 1000, "how many runs to enqueue")
	cmd.flags.IntVar(&o.Workers, "workers", 4, "how many worker processes")
	cmd.flags.IntVar(&o.Kills, "kills", 25, "how many workers to kill")
	cmd.flags.Uint64Var(&o.Seed, "seed", 0, "repeat the choice of victims of an earlier demonstration")
	cmd.run = func(ctx context.Context, c *console, args []string) error {
		if url := c.env(demo.WorkerEnv); url != "" {
			return fleet.Serve(ctx, func(ctx context.Context) error { return demo.Work(ctx, url, c.out) })
		}
		if err := cmd.atMost(0, args); err != nil {
			return err
		}
		if o.Runs < 5 || o.Workers < 1 || o.Kills < 0 {
			return usagef(cmd, "at least 5 runs, 1 worker and 0 kills")
		}
		if o.Seed == 0 {
			o.Seed = rand.Uint64N(1_000_000) + 1
		}
		report, err := demo.Run(ctx, o, c.out, isTerminal(c.out))
		if err != nil {
			return err
		}
		if err := report.Write(c.out); err != nil {
			return err
		}
		if !report.OK() {
			return errFindings
		}
		return nil
	}
	return cmd
}
