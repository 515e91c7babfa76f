package main

import (
	"context"
	"io"
	"math/rand/v2"
	"time"

	"github.com/spf13/pflag"

	"github.com/idem-go/idem/cmd/idem/fleet"
	"github.com/idem-go/idem/cmd/idem/soak"
	"github.com/idem-go/idem/cmd/idem/soak/relay"
)

func soakVerb() *command {
	cmd := &command{
		name:    "idem soak",
		summary: "Run workers or relays under faults for minutes or hours, and look for lost and doubled effects.",
		text: `The soak starts a Postgres of its own and several worker processes, and enqueues steps all the time. Every
second or two a fault falls on them: SIGKILL, SIGSTOP past the lease, a network that holds back one
direction, terminated sessions, an immediate stop of Postgres, a read-only server, an old snapshot. The
seed decides which, whom and when; the same arguments give the same schedule.

Every minute and at the end it asks the database what must hold: every acknowledged step is there once,
each effect happened once if its step is completed and not at all otherwise, no step is left behind.

With --outbox it is about what leaves Postgres. The steps of the workers queue commands, and relay
processes send them to an HTTP receiver that honours keys, loses answers after it has done its work, asks
to be left alone for a while, and is slow at one destination. Relays are killed, stopped and cut off.
Every command must be delivered and have its effect once, in order where an order is asked for; the
requests that the receiver saw are compared with the attempts that the relays recorded.

It needs a Postgres on this machine (server binaries are enough, also as root), or a network from which it
can fetch the binaries. It does not use IDEM_DATABASE_URL, since it stops and starts the server.

Exit status: 0 when everything held, 1 when something did not.`,
		flags: newFlags(),
	}
	var o soakOptions
	o.addFlags(cmd.flags)
	cmd.run = func(ctx context.Context, c *console, args []string) error {
		if url := c.env(soak.WorkerEnv); url != "" {
			return fleet.Serve(ctx, func(ctx context.Context) error { return soak.Work(ctx, url, c.out) })
		}
		if work := relay.Process(c.env, c.out); work != nil {
			return fleet.Serve(ctx, work)
		}
		if err := o.check(cmd, args); err != nil {
			return err
		}
		report, err := o.soak(ctx, c)
		if err != nil {
			return err
		}
		if err := report.Write(c.out); err != nil {
			return err
		}
		if !report.Fine() {
			return errFindings
		}
		return nil
	}
	return cmd
}

// soakOptions are the flags of both soaks.
type soakOptions struct {
	duration         time.Duration
	workers, rate    int
	seed             uint64
	report           string
	outbox           bool
	commands, relays int
}

func (o *soakOptions) addFlags(flags *pflag.FlagSet) {
	flags.DurationVar(&o.duration, "duration", 10*time.Minute, "how long faults fall")
	flags.IntVar(&o.workers, "workers", 3, "how many worker processes")
	flags.Uint64Var(&o.seed, "seed", 0, "repeat the schedule of an earlier soak")
	flags.StringVar(&o.report, "report", "", "write a report in JSON to the `file`, with the whole schedule")
	flags.IntVar(&o.rate, "steps-per-second", 500, "how many steps to enqueue; 0: as fast as the workers take them")
	flags.BoolVar(&o.outbox, "outbox", false, "soak the relays of an outbox, and not the workers alone")
	flags.IntVar(&o.commands, "commands", 50_000, "with --outbox: how many commands to queue within the duration")
	flags.IntVar(&o.relays, "relays", 3, "with --outbox: how many relay processes")
}

func (o *soakOptions) check(cmd *command, args []string) error {
	if err := cmd.atMost(0, args); err != nil {
		return err
	}
	foreign := []string{"commands", "relays"}
	if o.outbox {
		foreign = []string{"steps-per-second"}
	}
	for _, name := range foreign {
		if cmd.flags.Changed(name) {
			return usagef(cmd, "--%s means nothing %s --outbox", name, map[bool]string{true: "with", false: "without"}[o.outbox])
		}
	}
	switch {
	case o.duration < time.Second || o.workers < 1 || o.rate < 0:
		return usagef(cmd, "at least 1s, 1 worker and 0 steps a second")
	case o.commands < 1 || o.relays < 1:
		return usagef(cmd, "at least 1 command and 1 relay")
	}
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000) + 1
	}
	return nil
}

// soakReport is what either soak has found.
type soakReport interface {
	Write(io.Writer) error
	Fine() bool
}

func (o *soakOptions) soak(ctx context.Context, c *console) (soakReport, error) {
	if o.outbox {
		return relay.Run(ctx, relay.Options{
			Duration: o.duration, Commands: o.commands, Relays: o.relays, Workers: o.workers, Seed: o.seed, Report: o.report,
		}, c.out, isTerminal(c.out))
	}
	return soak.Run(ctx, soak.Options{
		Duration: o.duration, Workers: o.workers, Seed: o.seed, Rate: o.rate, Report: o.report,
	}, c.out, isTerminal(c.out))
}
