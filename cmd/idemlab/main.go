package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/idem-go/idem/cmd/idemlab/fleet"
	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/cmd/internal/lab"
	"github.com/idem-go/idem/cmd/internal/launch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if os.Getenv(launch.Env) != "" {
		ctx, stop = fleet.UntilInputCloses(ctx)
		_ = os.Unsetenv(launch.Env) // the workers' input is this program's
	}
	c := &cli.Console{Out: os.Stdout, Err: os.Stderr, Env: os.Getenv}
	os.Exit(c.Report(ctx, cli.Dispatch(ctx, c, root(), os.Args[1:])))
}

func root() *cli.Command {
	return &cli.Command{
		Name:    "idemlab",
		Summary: "idemlab is what 'idem demo' and 'idem soak' build and start. Use those.",
		Verbs:   []*cli.Command{lab.Demo(runDemo), lab.Soak(runSoak)},
	}
}
