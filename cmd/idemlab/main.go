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

func main() { os.Exit(run()) }

// run is the program: it returns the exit status.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if os.Getenv(launch.Env) != "" {
		_ = os.Unsetenv(launch.Env) // the workers are nobody's but this program's
		launched, cancel := fleet.UntilInputCloses(ctx)
		defer cancel()
		ctx = launched
	}
	c := &cli.Console{Out: os.Stdout, Err: os.Stderr, Env: os.Getenv}
	return c.Report(ctx, cli.Dispatch(ctx, c, root(), os.Args[1:]))
}

func root() *cli.Command {
	return &cli.Command{
		Name:    "idemlab",
		Summary: "idemlab is what 'idem demo' and 'idem soak' build and start. Use those.",
		Verbs:   []*cli.Command{lab.Demo(runDemo), lab.Soak(runSoak)},
	}
}
