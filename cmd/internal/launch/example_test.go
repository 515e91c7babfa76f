package launch_test

import (
	"context"
	"os"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/cmd/internal/lab"
	"github.com/idem-go/idem/cmd/internal/launch"
)

// A command ends as the program that it has launched.
func ExampleRun() {
	ctx := context.Background()
	c := &cli.Console{Out: os.Stdout, Err: os.Stderr, Env: os.Getenv}
	os.Exit(c.Report(ctx, launch.Run(ctx, c, lab.Program, []string{"demo", "--runs=50"})))
}
