package lab

import (
	"context"

	"github.com/idem-go/idem/cmd/internal/cli"
)

// DemoOptions say how large the demonstration is.
type DemoOptions struct {
	Runs    int    // runs to enqueue; follow-ups come on top
	Workers int    // worker processes
	Kills   int    // workers to kill
	Seed    uint64 // of the choice of victims and moments; 0: any
}

// Demo is the verb of the demonstration, which run does.
func Demo(run func(context.Context, *cli.Console, *cli.Command, DemoOptions) error) *cli.Command {
	cmd := &cli.Command{
		Name:    "idem demo",
		Summary: "Kill workers while they charge customers, and count what is left behind.",
		Text: `The demonstration starts a Postgres of its own, enqueues runs of the payments example, and works
on them with several processes. While they work it kills some of them with SIGKILL. At the end it counts
what the handlers wrote, by customer and order: each effect must be there once.

It needs a Postgres on this machine (server binaries are enough, also as root), or IDEM_DATABASE_URL with
a role that may create databases, or a network from which it can fetch the binaries. ` + itsProgram + `

Exit status: 0 when every effect happened once, 1 when one is duplicated or lost.`,
		Flags: cli.NewFlags(),
	}
	var o DemoOptions
	cmd.Flags.IntVar(&o.Runs, "runs", 1000, "how many runs to enqueue")
	cmd.Flags.IntVar(&o.Workers, "workers", 4, "how many worker processes")
	cmd.Flags.IntVar(&o.Kills, "kills", 25, "how many workers to kill")
	cmd.Flags.Uint64Var(&o.Seed, "seed", 0, "repeat the choice of victims of an earlier demonstration")
	cmd.Run = func(ctx context.Context, c *cli.Console, args []string) error {
		if err := cmd.AtMost(0, args); err != nil {
			return err
		}
		if o.Runs < 5 || o.Workers < 1 || o.Kills < 0 {
			return cmd.Usagef("at least 5 runs, 1 worker and 0 kills")
		}
		return run(ctx, c, cmd, o)
	}
	return cmd
}

// itsProgram is a part of the help of both verbs.
const itsProgram = `Its program
is no part of the command idem, which builds it first, with the go command.`
