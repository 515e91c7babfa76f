package lab

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"github.com/idem-go/idem/cmd/internal/cli"
)

// SoakOptions say how long and how hard a soak is, that of the workers or that of the relays.
type SoakOptions struct {
	Duration         time.Duration
	Workers, Rate    int
	Seed             uint64 // of the schedule of faults; 0: any
	Report           string
	Outbox           bool
	Commands, Relays int
}

// Soak is the verb of both soaks, which run does.
func Soak(run func(context.Context, *cli.Console, *cli.Command, SoakOptions) error) *cli.Command {
	cmd := &cli.Command{
		Name:    "idem soak",
		Summary: "Run workers or relays under faults for minutes or hours, and look for lost and doubled effects.",
		Text: `The soak starts a Postgres of its own and several worker processes, and enqueues steps all the time. Every
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
can fetch the binaries. It does not use IDEM_DATABASE_URL, since it stops and starts the server. ` + itsProgram + `

Exit status: 0 when everything held, 1 when something did not.`,
		Flags: cli.NewFlags(),
	}
	var o SoakOptions
	o.addFlags(cmd.Flags)
	cmd.Run = func(ctx context.Context, c *cli.Console, args []string) error {
		if err := o.check(cmd, args); err != nil {
			return err
		}
		return run(ctx, c, cmd, o)
	}
	return cmd
}

func (o *SoakOptions) addFlags(flags *pflag.FlagSet) {
	flags.DurationVar(&o.Duration, "duration", 10*time.Minute, "how long faults fall")
	flags.IntVar(&o.Workers, "workers", 3, "how many worker processes")
	flags.Uint64Var(&o.Seed, "seed", 0, "repeat the schedule of an earlier soak")
	flags.StringVar(&o.Report, "report", "", "write a report in JSON to the `file`, with the whole schedule")
	flags.IntVar(&o.Rate, "steps-per-second", 500, "how many steps to enqueue; 0: as fast as the workers take them")
	flags.BoolVar(&o.Outbox, "outbox", false, "soak the relays of an outbox, and not the workers alone")
	flags.IntVar(&o.Commands, "commands", 50_000, "with --outbox: how many commands to queue within the duration")
	flags.IntVar(&o.Relays, "relays", 3, "with --outbox: how many relay processes")
}

func (o *SoakOptions) check(cmd *cli.Command, args []string) error {
	if err := cmd.AtMost(0, args); err != nil {
		return err
	}
	foreign := []string{"commands", "relays"}
	if o.Outbox {
		foreign = []string{"steps-per-second"}
	}
	for _, name := range foreign {
		if cmd.Flags.Changed(name) {
			return cmd.Usagef("--%s means nothing %s --outbox", name, map[bool]string{true: "with", false: "without"}[o.Outbox])
		}
	}
	switch {
	case o.Duration < time.Second || o.Workers < 1 || o.Rate < 0:
		return cmd.Usagef("at least 1s, 1 worker and 0 steps a second")
	case o.Commands < 1 || o.Relays < 1:
		return cmd.Usagef("at least 1 command and 1 relay")
	}
	return nil
}
