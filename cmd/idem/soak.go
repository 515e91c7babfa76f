package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/idem-go/idem/cmd/idem/fleet"
	"github.com/idem-go/idem/cmd/idem/soak"
)

func soakVerb() *command {
	cmd := &command{
		name:    "idem soak",
		summary: "Run workers under faults for minutes or hours, and look for lost and doubled effects.",
		text: `The soak starts a Postgres of its own and several worker processes, and enqueues steps all the time. Every
second or two a fault falls on them: SIGKILL, SIGSTOP past the lease, a network that holds back one
direction, terminated sessions, an immediate stop of Postgres, a read-only server, an old snapshot. The
seed decides which, whom and when; the same arguments give the same schedule.

Every minute and at the end it asks the database what must hold: every acknowledged step is there once,
each effect happened once if its step is completed and not at all otherwise, no step is left behind.

It needs a Postgres on this machine (server binaries are enough, also as root), or a network from which it
can fetch the binaries. It does not use IDEM_DATABASE_URL, since it stops and starts the server.

Exit status: 0 when everything held, 1 when something did not.`,
		flags: newFlags(),
	}
	var o soak.Options
	cmd.flags.DurationVar(&o.Duration, "duration", 10*time.Minute, "how long faults fall")
	cmd.flags.IntVar(&o.Workers, "workers", 3, "how many worker processes")
	cmd.flags.Uint64Var(&o.Seed, "seed", 0, "repeat the schedule of an earlier soak")
	cmd.flags.StringVar(&o.Report, "report", "", "write a report in JSON to the file, with the whole schedule")
	cmd.flags.IntVar(&o.Rate, "steps-per-second", 500, "how many steps to enqueue; 0: as fast as the workers take them")
	cmd.run = func(ctx context.Context, c *console, args []string) error {
		if url := c.env(soak.WorkerEnv); url != "" {
			return fleet.Serve(ctx, func(ctx context.Context) error { return soak.Work(ctx, url, c.out) })
		}
		if err := cmd.atMost(0, args); err != nil {
			return err
		}
		if o.Duration < time.Second || o.Workers < 1 || o.Rate < 0 {
			return usagef(cmd, "at least 1s, 1 worker and 0 steps a second")
		}
		if o.Seed == 0 {
			o.Seed = rand.Uint64N(1_000_000) + 1
		}
		report, err := soak.Run(ctx, o, c.out, isTerminal(c.out))
		if err != nil {
			return err
		}
		if err := report.Write(c.out); err != nil {
			return err
		}
		if !report.OK {
			return errFindings
		}
		return nil
	}
	return cmd
}
