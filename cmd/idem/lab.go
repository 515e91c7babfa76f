package main

import (
	"context"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/cmd/internal/lab"
	"github.com/idem-go/idem/cmd/internal/launch"
)

// The verbs demo and soak are explained and checked here. What they do is idemlab's, which says why.

func demoVerb() *cli.Command {
	return lab.Demo(func(ctx context.Context, c *cli.Console, cmd *cli.Command, _ lab.DemoOptions) error {
		return launch.Run(ctx, c, lab.Program, lab.Args(cmd))
	})
}

func soakVerb() *cli.Command {
	return lab.Soak(func(ctx context.Context, c *cli.Console, cmd *cli.Command, _ lab.SoakOptions) error {
		return launch.Run(ctx, c, lab.Program, lab.Args(cmd))
	})
}
