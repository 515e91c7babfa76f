package main

import (
	"context"

	"github.com/idem-go/idem/cmd/idemlab/fleet"
	"github.com/idem-go/idem/cmd/idemlab/soak"
	"github.com/idem-go/idem/cmd/idemlab/soak/relay"
	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/cmd/internal/lab"
)

// runSoak is the soak of the workers, that of the relays, or one of their processes.
func runSoak(ctx context.Context, c *cli.Console, _ *cli.Command, o lab.SoakOptions) error {
	if url := c.Env(soak.WorkerEnv); url != "" {
		return fleet.Serve(ctx, func(ctx context.Context) error { return soak.Work(ctx, url, c.Out) })
	}
	if work := relay.Process(c.Env, c.Out); work != nil {
		return fleet.Serve(ctx, work)
	}
	if o.Outbox {
		report, err := relay.Run(ctx, relay.Options{
			Duration: o.Duration, Commands: o.Commands, Relays: o.Relays, Workers: o.Workers, Seed: seed(o.Seed), Report: o.Report,
		}, c.Out, c.Terminal())
		return tell(c, report, err)
	}
	report, err := soak.Run(ctx, soak.Options{
		Duration: o.Duration, Workers: o.Workers, Seed: seed(o.Seed), Rate: o.Rate, Report: o.Report,
	}, c.Out, c.Terminal())
	return tell(c, report, err)
}
